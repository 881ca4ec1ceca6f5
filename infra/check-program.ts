import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { Problem } from '../shared/errors.ts';

/** The first version of the provider that updates a database instance with the wanted settings. */
const oldestProvider = [9, 36, 1] as const;

/** Returns a problem if the program has a provider that reports an update of the database it did not make. */
export function checkProvider(version = readVersion()): readonly Problem[] {
  const parts = version.split('.').map(Number);
  const index = oldestProvider.findIndex((oldest, each) => oldest !== parts[each]);
  if (index < 0 || (parts[index] ?? 0) > (oldestProvider[index] ?? 0)) return [];
  const remedy = `Use ${oldestProvider.join('.')} or newer: older ones send the old settings of a database instance, and report success (pulumi-gcp#3970).`;
  return [{ field: '@pulumi/gcp', value: version, remedy }];
}

/** The package names the version of the provider that the engine takes. */
function readVersion(): string {
  const load = createRequire(path.join(import.meta.dirname, 'package.json'));
  return (load('@pulumi/gcp/package.json') as { readonly version: string }).version;
}

/** Lists the settings that are outputs of other resources: all are checked before a resource is registered. */
export function findOutputs(value: unknown, field = ''): readonly Problem[] {
  if (pulumi.Output.isInstance(value)) {
    const remedy =
      'Use a plain value: an output is known too late. Names and addresses can be composed in advance.';
    return [{ field, value: '(an output)', remedy }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => findOutputs(each, field ? `${field}.${key}` : key));
}

/** Returns a warning if the next update would take one that failed for done. */
export function findMissingRefresh(root = pulumi.runtime.getRootDirectory()): readonly string[] {
  if (/(^|[{,])\s*["']?refresh["']?:\s*["']?always\b/m.test(readProject(root))) return [];
  return [
    'Pulumi.yaml has no "options: {refresh: always}": an update that Google Cloud refuses is taken for done, and no later one repairs it. Set it, or use the option --refresh with each update.',
  ];
}

function readProject(root: string): string {
  for (const name of ['Pulumi.yaml', 'Pulumi.yml', 'Pulumi.json']) {
    try {
      return readFileSync(path.join(root, name), 'utf8');
    } catch {}
  }
  return '';
}
