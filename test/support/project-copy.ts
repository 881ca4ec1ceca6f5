import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const copied = [
  ...['shared', 'functions', 'infra', 'migrations', 'local', 'packages', 'docs'],
  // Of the tests, those that it runs, and what they share.
  ...['test/support', 'test/docs', 'test/infra', 'test/shared/events/filter'],
  ...['README.md', 'package.json', 'Pulumi.yaml', 'Pulumi.dev.yaml', 'Pulumi.prod.yaml'],
];

export type ProjectCopy = {
  readonly folder: string;
  readonly read: (file: string) => Promise<string>;
  /** Inserts lines before the first place where a text begins, or writes them to a new file. */
  readonly insert: (file: string, before: string, lines: string) => Promise<void>;
  /** Runs test files in one process, and returns what it printed if one fails. */
  readonly runTests: (files: readonly string[], ...options: string[]) => Promise<string | undefined>;
  readonly remove: () => Promise<void>;
};

/** Copies the project to a temporary folder, with the same packages. */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-project-'));
  const filter = (file: string) => !/\/(dist|node_modules)$/.test(file);
  for (const name of copied) {
    await cp(path.join(root, name), path.join(folder, name), { recursive: true, filter });
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const read = (file: string) => readFile(path.join(folder, file), 'utf8');
  return {
    folder,
    read,
    insert: async (file, before, lines) => {
      const text = before && (await read(file));
      const at = text.indexOf(before);
      if (at < 0) throw new Error(`${file} has no ${before}`);
      await writeFile(path.join(folder, file), text.slice(0, at) + lines + text.slice(at));
    },
    runTests: (files, ...options) =>
      new Promise((resolve) => {
        const args = ['--test', '--test-isolation=none', '--test-reporter=dot', ...options, ...files];
        // Files that a run shares are those of the project, not of its copy.
        const { NODE_TEST_CONTEXT: _, ...others } = process.env;
        const env = { ...others, DLO_TEST_FOLDER: folder };
        execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
          resolve(error ? `${stdout}${stderr}` : undefined),
        );
      }),
    remove: () => rm(folder, { recursive: true }),
  };
}
