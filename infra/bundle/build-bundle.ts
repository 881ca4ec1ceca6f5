import { createHash } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleCode } from './bundle-code.ts';
import { listFiles } from './list-files.ts';
import { pinDependencies } from './pin-dependencies.ts';

export type Source = {
  /** Where the code and its `node_modules` are. */
  readonly root: string;
  /** Where the bundle goes. What was there before is removed. */
  readonly outDir: string;
  /** The module that exports the functions, seen from `root`. */
  readonly entry?: string;
};

/** `hash` is of every name and byte in `folder`, and of nothing else: the same source has it on any machine. */
export type Bundle = { readonly folder: string; readonly hash: string };

/** Makes the folder that Google Cloud builds every function from. FUNCTION_TARGET says which one an instance runs. */
export async function buildBundle({ root, outDir, entry = 'functions/index.ts' }: Source): Promise<Bundle> {
  await rm(outDir, { recursive: true, force: true });
  const { packages: imported } = await bundleCode({ root, outDir, entry });
  await copyFilesBeside(root, outDir, path.dirname(entry));
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  // The buildpack brings a framework of its own choice where none is named.
  const packages = new Set(['@google-cloud/functions-framework', ...imported]);
  const pinned = pinDependencies(lock, {
    name: 'dead-letter-office',
    main: 'index.cjs',
    packages: [...packages],
  });
  for (const [name, content] of Object.entries(pinned)) {
    await writeFile(path.join(outDir, name), `${JSON.stringify(content, null, 2)}\n`);
  }
  return { folder: outDir, hash: await hashFolder(outDir) };
}

/** Style sheets, icons and the like. */
async function copyFilesBeside(root: string, outDir: string, codeFolder: string): Promise<void> {
  const files = await listFiles(path.join(root, codeFolder));
  for (const file of files.filter((each) => !each.endsWith('.ts'))) {
    await cp(path.join(root, codeFolder, file), path.join(outDir, codeFolder, file));
  }
}

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await listFiles(folder)) {
    const content = createHash('sha256').update(await readFile(path.join(folder, file)));
    hash.update(JSON.stringify([file, content.digest('hex')]));
  }
  return hash.digest('hex');
}
