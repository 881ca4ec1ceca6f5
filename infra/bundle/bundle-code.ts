import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build, type Metafile, transform } from 'esbuild';
import { listFiles } from './list-files.ts';
import { loadOnDemand } from './load-on-demand.ts';
import { separatePackages } from './separate-packages.ts';

/** `entries` names the entry module of each function, seen from `root`. */
export type Code = {
  readonly root: string;
  readonly outDir: string;
  readonly entries: Readonly<Record<string, string>>;
};

/** esbuild's report on each file that it wrote, and the packages that have to be installed beside them. */
export type Bundled = { readonly outputs: Metafile['outputs']; readonly packages: readonly string[] };

/** The framework is installed, and loads itself: a second copy would only cost time. */
const installed = ['@google-cloud/functions-framework'];

/**
 * Writes a folder for each function: one file with everything that it starts with, and others with modules and packages
 * that it loads by `import()`. An instance reads nothing of other functions, and no module before it is needed; modules
 * that several files of a function share are there once.
 */
export async function bundleCode({ root, outDir, entries }: Code): Promise<Bundled> {
  const packages = new Set<string>();
  const outputs: Metafile['outputs'] = {};
  const folders = { absWorkingDir: root, outdir: outDir };
  for (const [name, entry] of Object.entries(entries)) {
    const written = await writeBundle({
      ...folders,
      entryPoints: { [`${name}/${name}`]: entry },
      chunkNames: `${name}/[name]-[hash]`,
      plugins: [loadOnDemand(root, entry), separatePackages(packages)],
      // esbuild splits only this format.
      format: 'esm',
      splitting: true,
    });
    await copyFiles(listModules(root, written), path.join(outDir, name));
    Object.assign(outputs, written);
  }
  const entryPoints = Object.fromEntries([...packages].sort().map((name) => [`packages/${name}`, name]));
  Object.assign(outputs, await writeBundle({ ...folders, entryPoints, format: 'cjs', supported }));
  // Named .cjs: for .js the framework looks for the format in package.json, which takes 20 ms.
  await writeFile(path.join(outDir, 'index.cjs'), pickFunction);
  const imports = Object.values(outputs).flatMap((output) => output.imports.map((each) => each.path));
  return { outputs, packages: installed.filter((name) => imports.includes(name)) };
}

/** The modules of ours in `outputs`, without those that esbuild names by a plugin's namespace. */
function listModules(root: string, outputs: Metafile['outputs']): string[] {
  return Object.values(outputs)
    .flatMap((output) => Object.keys(output.inputs))
    .filter((input) => /^(?!node_modules\/)[^:]+$/.test(input))
    .map((input) => path.join(root, input));
}

/**
 * Copies the files that `modules` read, the statements (`*.sql`) and everything in `assets/` beside them, to the folder of
 * their bundled code: `new URL('assets/page.css', import.meta.url)` finds the copy. Throws if two have the same name.
 */
async function copyFiles(modules: readonly string[], to: string): Promise<void> {
  for (const folder of new Set(modules.map((module) => path.dirname(module)))) {
    const files = await listFiles(folder);
    for (const file of files.filter((each) => /^([^/]+\.sql|assets\/.+)$/.test(each))) {
      await cp(path.join(folder, file), path.join(to, file), { force: false, errorOnExist: true });
    }
  }
}

const pickFunction =
  "const name = process.env.FUNCTION_TARGET;\nmodule.exports = require('./' + name + '/' + name + '.cjs');\n";

const form = {
  platform: 'node',
  target: 'node24',
  // A cold start reads all of it. Names stay, for the stack traces in the log.
  minifyWhitespace: true,
  minifySyntax: true,
  // In place of any tsconfig.json in a folder above.
  tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
  logLevel: 'silent',
} as const;

/** Turns an `import()` of CommonJS into a promise of a `require`. */
const supported = { 'dynamic-import': false };

async function writeBundle(options: BuildOptions): Promise<Metafile['outputs']> {
  const { metafile, warnings, outputFiles } = await build({
    ...form,
    ...options,
    bundle: true,
    outExtension: { '.js': '.cjs' },
    external: installed,
    // Some packages have both, and a CommonJS wrapper whose `require` esbuild cannot follow.
    mainFields: ['module', 'main'],
    // File names as seen from the root, wherever node_modules really is.
    preserveSymlinks: true,
    metafile: true,
    write: false,
  });
  const [warning] = warnings;
  if (warning) throw new Error(`${warning.text} (${warning.location?.file}:${warning.location?.line})`);
  for (const { path: file, text } of outputFiles) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, options.format === 'cjs' ? text : await toCommonJs(text));
  }
  return metafile.outputs;
}

/**
 * ES modules cost more: each takes a third of a millisecond, and each import of a module of Node.js evaluates all its
 * exports, one of which is, for node:http, the whole of fetch.
 */
async function toCommonJs(module: string): Promise<string> {
  const define = { 'import.meta.url': 'moduleUrl', 'import.meta.dirname': '__dirname' };
  return (await transform(module, { ...form, format: 'cjs', supported, define, banner })).code;
}

// A directive counts only as the first statement, and CommonJS has no import.meta.
const banner = '"use strict";const moduleUrl=require("node:url").pathToFileURL(__filename).href;';
