import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export type InstalledComponent = { readonly folder: string; remove(): Promise<void> };

/**
 * Packs the component, and installs the archive in a copy of examples/pulumi in a temporary folder. Pulumi's SDKs, the
 * compiler and its types are those of this repository.
 */
export async function installComponent(): Promise<InstalledComponent> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-component-'));
  await cp(path.join(root, 'examples/pulumi'), folder, { recursive: true });
  const pack = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: path.join(root, 'packages/pulumi') });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  const dependencies = { '@dead-letter-office/pulumi': `file:${filename}` };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'acme-events', dependencies }));
  await run('npm', ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
  });
  await mkdir(path.join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@pulumi', '@types/node', 'typescript']) {
    await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name));
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
