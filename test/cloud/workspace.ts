import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { installComponent } from '../support/installed-component.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A program that a test may change, in a copy of its own, with a home of its own for Pulumi. */
export type Workspace = {
  readonly folder: string;
  /** Changes the text of a file; returns a function that restores it. Throws if nothing changes. */
  edit(file: string, change: (text: string) => string): Promise<() => Promise<void>>;
  /** Adds a file; returns a function that removes it. */
  add(file: string, text: string): Promise<() => Promise<void>>;
  copy(from: string, to: string): Promise<void>;
  remove(): Promise<void>;
};

/** Creates a copy of the repository. */
export async function createWorkspace(): Promise<Workspace> {
  const home = await mkdtemp(path.join(tmpdir(), 'dlo-deploy-'));
  const folder = path.join(home, 'dead-letter-office');
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = await promisify(execFile)('git', list, { cwd: root, maxBuffer: 2 ** 24 });
  for (const file of stdout.split('\0').filter((name) => name && !/^(test|docs|bench)\//.test(name))) {
    await cp(path.join(root, file), path.join(folder, file));
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return open(folder);
}

/** Creates a program of its own, with the installed component and the files of examples/pulumi. */
export async function createProgram(): Promise<Workspace> {
  const home = await mkdtemp(path.join(tmpdir(), 'dlo-program-'));
  const folder = path.join(home, 'acme-events');
  await cp(path.join(root, 'examples/pulumi'), folder, { recursive: true });
  const installed = await installComponent();
  await rename(path.join(installed.folder, 'node_modules'), path.join(folder, 'node_modules'));
  await installed.remove();
  const inside = (name: string) => path.join(folder, 'node_modules', name);
  // The development dependency of the example, and the pinned Node.js.
  for (const name of ['typescript', '.bin']) {
    await symlink(path.join(root, 'node_modules', name), inside(name));
  }
  return open(folder);
}

function open(folder: string): Workspace {
  return {
    folder,
    edit: async (file, change) => {
      const at = path.join(folder, file);
      const before = await readFile(at, 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`The change leaves ${file} as it is.`);
      await writeFile(at, after);
      return () => writeFile(at, before);
    },
    add: async (file, text) => {
      const at = path.join(folder, file);
      await writeFile(at, text, { flag: 'wx' });
      return () => rm(at);
    },
    copy: (from, to) => cp(path.join(folder, from), path.join(folder, to)),
    remove: () => rm(path.dirname(folder), { recursive: true, force: true }),
  };
}
