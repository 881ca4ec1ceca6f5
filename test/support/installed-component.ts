import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export type InstalledComponent = { readonly folder: string; remove(): Promise<void> };

/**
 * Packs the component, and unpacks the archive as npm would in an empty program in a temporary folder. Beside
 * it are the packages that it declares, Pulumi's SDKs and the types of Node.js, those of this repository: npm
 * has less to do, and a package that the component does not declare is not found.
 */
export async function installComponent(): Promise<InstalledComponent> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-component-'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'acme-events' }));
  const component = path.join(folder, 'node_modules/@dead-letter-office/pulumi');
  await mkdir(component, { recursive: true });
  const pack = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: path.join(root, 'packages/pulumi') });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  await run('tar', ['-xzf', path.join(folder, filename), '-C', component, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(path.join(component, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), '@pulumi', '@types/node']) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(root, 'node_modules', name), link);
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
