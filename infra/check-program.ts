import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { Problem } from '../shared/errors.ts';

/** The first version of the provider that updates a database instance with the wanted settings. */
const oldestProvider = '9.36.1';

/** The package names the version of the provider that the engine takes. */
const installed = createRequire(path.join(import.meta.dirname, 'package.json'));

/** Returns a problem if the program has a provider that reports an update of the database it did not make. */
export function checkProvider(
  version: string = installed('@pulumi/gcp/package.json').version,
): readonly Problem[] {
  if (version.localeCompare(oldestProvider, 'en', { numeric: true }) >= 0) return [];
  const remedy = `Use ${oldestProvider} or newer: older ones send the old settings of a database instance, and report success (pulumi-gcp#3970).`;
  return [{ field: '@pulumi/gcp', value: version, remedy }];
}

/** Returns a warning if the next update would take one that failed for done. */
export function findMissingRefresh(root = pulumi.runtime.getRootDirectory()): readonly string[] {
  const [file = ''] = globSync('Pulumi.{yaml,yml,json}', { cwd: root });
  const project = file && readFileSync(path.join(root, file), 'utf8');
  if (/(^|[{,])\s*["']?refresh["']?:\s*["']?always\b/m.test(project)) return [];
  return [
    'Pulumi.yaml has no "options: {refresh: always}": an update that Google Cloud refuses is taken for done, and no later one repairs it. Set it, or use the option --refresh with each update.',
  ];
}
