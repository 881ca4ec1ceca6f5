import assert from 'node:assert/strict';
import type { Google } from './google/google.ts';
import { readPolicy } from './google/policies.ts';
import type { Ran } from './stack.ts';

/** The calls that change something, after the first `from` calls. */
export function listWrites({ calls }: Google, from = 0): string[] {
  const reads =
    /^GET |:getIamPolicy$|:testIamPermissions$|:generateEphemeralCert$|\/tokeninfo$|:batchEnable$/;
  return calls.slice(from).filter((call) => !reads.test(call));
}

/** Fails unless every resource is as it was. */
export function assertUnchanged({ changes }: Ran): void {
  const { unchanged, ...changed } = changes;
  assert.deepEqual(changed, { created: 0, updated: 0, replaced: 0, deleted: 0 });
  assert.ok(unchanged > 0);
}

/** Returns a function or another resource whose name ends so. */
export function findByEnd({ resources }: Google, end: string) {
  const names = [...resources.keys()].filter((name) => name.endsWith(end));
  const [name, ...others] = names;
  assert.ok(name && others.length === 0, `${names.length} resources end with ${end}.`);
  return { name, ...resources.get(name) } as { name: string } & Record<string, unknown>;
}

/** Returns the members of a role on a resource, in order. */
export function listMembers({ policies }: Google, resource: string, role: string): string[] {
  const { bindings } = readPolicy(policies, resource);
  return bindings.flatMap((binding) => (binding.role === role ? binding.members : [])).sort();
}

/**
 * Lists the resources that remain, without projects, finished operations and copies that belong to Google.
 */
export function listRemaining({ resources }: Google): string[] {
  const others = /^projects\/[^/]+$|\/operations\/|^b\/gcf-v2-sources-/;
  return [...resources.keys()].filter((name) => !others.test(name)).sort();
}
