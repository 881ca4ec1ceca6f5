import { runInNewContext } from 'node:vm';
import { ApiError } from './api-error.ts';
import { newEtag } from './etag.ts';
import type { Json } from './json.ts';
import { hasPermission } from './permissions.ts';

export type Binding = {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: { readonly expression: string };
};

type Policy = { readonly bindings: readonly Binding[]; readonly etag: string; readonly version: number };

/** The IAM policies of all resources. */
export type Policies = {
  readonly bindings: Map<string, Policy>;
  /** When each grant was made, in ms. */
  readonly since: Map<string, number>;
  /**
   * How long it takes until a new grant is applied.
   * https://cloud.google.com/iam/docs/access-change-propagation
   */
  delaySeconds: number;
};

export function createPolicies(): Policies {
  return { bindings: new Map(), since: new Map(), delaySeconds: 0 };
}

export function readPolicy({ bindings }: Policies, resource: string): Policy {
  let found = bindings.get(resource);
  if (!found) {
    found = { bindings: [], etag: newEtag(), version: 1 };
    bindings.set(resource, found);
  }
  return found;
}

/** Replaces a policy. Throws ABORTED if it was changed since it was read. */
export function writePolicy(policies: Policies, resource: string, given: Json, now = Date.now()): Policy {
  const before = readPolicy(policies, resource);
  if (given.etag && given.etag !== before.etag) {
    throw new ApiError(
      'ABORTED',
      'There were concurrent policy changes. Please retry the whole read-modify-write.',
    );
  }
  const bindings = ((given.bindings ?? []) as Binding[]).filter(({ members }) => members?.length > 0);
  const version = bindings.some(({ condition }) => condition) ? 3 : 1;
  const policy = { bindings, etag: newEtag(), version };
  policies.bindings.set(resource, policy);
  const grants = new Set(bindings.flatMap((binding) => grantsOf(resource, binding)));
  for (const grant of [...policies.since.keys()]) {
    if (grant.startsWith(`${resource} `) && !grants.has(grant)) policies.since.delete(grant);
  }
  for (const grant of grants) if (!policies.since.has(grant)) policies.since.set(grant, now);
  return policy;
}

/** Renames a member in every policy, as IAM does for an account that was deleted. */
export function retireMember(policies: Policies, member: string, uid: string): void {
  const retire = (each: string) => (each === member ? `deleted:${member}?uid=${uid}` : each);
  for (const [resource, { bindings }] of policies.bindings) {
    if (!bindings.some(({ members }) => members.includes(member))) continue;
    const retired = bindings.map((binding) => ({ ...binding, members: binding.members.map(retire) }));
    writePolicy(policies, resource, { bindings: retired });
  }
}

export type Access = {
  readonly member: string;
  readonly permission: string;
  /** The resource and those above it, each of which may grant the permission. */
  readonly resources: readonly string[];
  /** The attributes that conditions compare. */
  readonly attributes?: { readonly type?: string; readonly name?: string; readonly service?: string };
};

/** Says whether a grant that was made long enough ago allows the access. */
export function isAllowed(policies: Policies, access: Access, now = Date.now()): boolean {
  return access.resources.some((resource) =>
    readPolicy(policies, resource).bindings.some((binding) =>
      grantsOf(resource, binding).some(
        (grant, i) =>
          [access.member, 'allUsers'].includes(binding.members[i] ?? '') &&
          hasPermission(binding.role, access.permission) &&
          isMet(binding.condition, access) &&
          now - (policies.since.get(grant) ?? now) >= policies.delaySeconds * 1000,
      ),
    ),
  );
}

function grantsOf(resource: string, { role, members, condition }: Binding): string[] {
  return members.map((member) => `${resource} ${role} ${member} ${condition?.expression ?? ''}`);
}

/** Comparisons, `&&`, `||` and `startsWith` are written the same in CEL and in JavaScript. */
function isMet(condition: Binding['condition'], { attributes = {} }: Access): boolean {
  if (!condition) return true;
  const resource = { type: '', name: '', service: '', ...attributes };
  const timestamp = (text: string) => new Date(text);
  return Boolean(
    runInNewContext(condition.expression, { resource, request: { time: new Date() }, timestamp }),
  );
}
