import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleCode } from './bundle-code.ts';
import { listFiles } from './list-files.ts';
import { pinDependencies } from './pin-dependencies.ts';

export type Source = {
  /** The folder of the code and its `node_modules`. */
  readonly root: string;
  /** The folder that the bundle is written to. Its previous content is removed. */
  readonly outDir: string;
  /** The folder, seen from `root`, with one module for each function, named after it and exporting it by that name. */
  readonly entries?: string;
};

/** `hash` covers every name and byte in `folder`, and nothing else: the same source has the same hash on any machine. */
export type Bundle = { readonly folder: string; readonly hash: string };

/** Writes the folder that Google Cloud builds every function from. FUNCTION_TARGET selects the one that an instance runs. */
export async function buildBundle({ root, outDir, entries = 'functions/entries' }: Source): Promise<Bundle> {
  await rm(outDir, { recursive: true, force: true });
  const files = await listFiles(path.join(root, entries));
  const byName = Object.fromEntries(files.map((file) => [path.basename(file, '.ts'), `${entries}/${file}`]));
  const { packages: imported } = await bundleCode({ root, outDir, entries: byName });
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  // Unless package.json names the framework, the buildpack installs a version that it chooses.
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

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await listFiles(folder)) {
    const content = createHash('sha256').update(await readFile(path.join(folder, file)));
    hash.update(JSON.stringify([file, content.digest('hex')]));
  }
  return hash.digest('hex');
}
