import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { pinDependencies } from './pin-dependencies.ts';

export type Source = {
  /** The folder of the code and its `node_modules`. */
  readonly root: string;
  /** The folder that the bundle is written to. Its previous content is removed. */
  readonly outDir: string;
  /** The folder, seen from `root`, with a module for each function that exports it by its name. */
  readonly entries?: string;
};

/** `hash` covers every name and byte in `folder`: the same source has the same hash on any machine. */
export type Bundle = { readonly folder: string; readonly hash: string };

/**
 * Installed, not bundled: a second copy of the framework would not run, one of what it loads itself would
 * only cost time. Unless package.json names the framework, the buildpack installs a version that it chooses.
 */
const framework = '@google-cloud/functions-framework';

/** Loaded with `import()`, each from a file of its own: a cold start reads the whole file of a function. */
const onDemand = [
  '@google-cloud/cloud-sql-connector',
  '@google-cloud/pubsub',
  '@google-cloud/storage',
  'google-auth-library',
  'pg',
  'undici',
];

/** Writes the folder that every function is built from. FUNCTION_TARGET selects the one that runs. */
export async function buildBundle({ root, outDir, entries = 'functions/entries' }: Source): Promise<Bundle> {
  await rm(outDir, { recursive: true, force: true });
  const common = { ...options, absWorkingDir: root, outdir: outDir };
  await build({
    ...common,
    entryPoints: globSync(`${entries}/*.ts`, { cwd: root }),
    external: [framework, './packages/*'],
    alias: Object.fromEntries(onDemand.map((name) => [name, `./packages/${name}.cjs`])),
    // CommonJS has no import.meta.
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: '"use strict";const moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
  });
  const packages = Object.fromEntries(onDemand.map((name) => [`packages/${name}`, name]));
  await build({ ...common, entryPoints: packages });
  await copyAssets(root, outDir);
  await writeManifest(root, outDir);
  return { folder: outDir, hash: await hashFolder(outDir) };
}

const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // ES modules were measured to take a quarter more processor time until the first answer:
  // bench/cold-start/results.md.
  format: 'cjs',
  supported: { 'dynamic-import': false },
  // For .js the framework looks for the format in package.json, which takes 20 ms.
  outExtension: { '.js': '.cjs' },
  // A cold start reads all of it. Names stay, for the stack traces in the log.
  minifyWhitespace: true,
  minifySyntax: true,
  // Some packages have both, and a CommonJS wrapper whose `require` esbuild cannot follow.
  mainFields: ['module', 'main'],
  // File names as seen from the root, wherever node_modules really is.
  preserveSymlinks: true,
  // In place of any tsconfig.json in a folder above.
  tsconfigRaw: {},
  logLevel: 'warning',
};

/** Copies the statements and assets, which modules read from their own folder: bundled, that is `outDir`. */
export async function copyAssets(root: string, outDir: string): Promise<void> {
  for (const file of globSync(['{functions,shared}/**/*.sql', 'functions/**/assets'], { cwd: root })) {
    await cp(path.join(root, file), path.join(outDir, path.basename(file)), {
      recursive: true,
      filter: (each) => !path.basename(each).startsWith('.'),
      force: false,
      errorOnExist: true,
    });
  }
}

/** Writes a package.json and its package-lock.json, which install the framework in the tested version. */
async function writeManifest(root: string, outDir: string): Promise<void> {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const packages = pinDependencies(lock.packages, framework);
  const dependencies = { [framework]: packages[`node_modules/${framework}`]?.version };
  const [name, main] = ['dead-letter-office', 'index.cjs'];
  const { lockfileVersion } = lock;
  const manifests = {
    'package.json': { name, private: true, main, dependencies },
    'package-lock.json': { name, lockfileVersion, packages: { '': { name, dependencies }, ...packages } },
  };
  for (const [file, content] of Object.entries(manifests)) {
    await writeFile(path.join(outDir, file), `${JSON.stringify(content, null, 2)}\n`);
  }
  const start = "module.exports = require('./' + process.env.FUNCTION_TARGET + '.cjs');\n";
  await writeFile(path.join(outDir, main), start);
}

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of globSync('**/*.*', { cwd: folder }).sort()) {
    const content = createHash('sha256').update(await readFile(path.join(folder, file)));
    hash.update(JSON.stringify([file.replaceAll(path.sep, '/'), content.digest('hex')]));
  }
  return hash.digest('hex');
}
