import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build, type Metafile, transform } from 'esbuild';
import { inlineSql } from './inline-sql.ts';
import { keepPlaces } from './keep-places.ts';
import { loadAtOnce } from './load-at-once.ts';
import { loadLater } from './load-later.ts';
import { listExports, listImports } from './read-entry.ts';
import { rewriteModules } from './rewrite-modules.ts';
import { setApart } from './set-apart.ts';

export type Code = { readonly root: string; readonly outDir: string; readonly entry: string };

/** What esbuild tells of each file that it wrote, and the packages that have to be installed beside them. */
export type Bundled = { readonly outputs: Metafile['outputs']; readonly packages: readonly string[] };

/** What the framework is loaded with in any case, so that it is not to be loaded twice. */
const brought = ['@google-cloud/functions-framework', 'express'];

/**
 * Writes a folder for each function that `entry` exports: a file with all that it starts with, and others with what it
 * loads by `import()` when that is asked for, of ours and of packages. So an instance reads nothing of other functions,
 * and nothing before its time; what several of its files share is there once.
 */
export async function bundleCode({ root, outDir, entry }: Code): Promise<Bundled> {
  const packages = new Set<string>();
  const outputs: Metafile['outputs'] = {};
  const bundle = async (options: BuildOptions) =>
    Object.assign(outputs, await writeBundle({ absWorkingDir: root, outdir: outDir, ...options }));
  for (const name of await listExports(root, entry)) {
    const stdin = { contents: `export { ${name} } from './${entry}';`, resolveDir: root };
    const rewrites = [loadAtOnce(entry, await listImports(stdin)), inlineSql(root), keepPlaces];
    const plugins = [loadLater(root, entry, name), rewriteModules(root, rewrites), setApart(packages)];
    const names = { entryNames: `${name}/${name}`, chunkNames: `${name}/[name]-[hash]` };
    // Only for this format does esbuild know how to split.
    await bundle({ stdin, plugins, ...names, format: 'esm', splitting: true });
  }
  const entryPoints = Object.fromEntries([...packages].sort().map((name) => [`packages/${name}`, name]));
  await bundle({ entryPoints, format: 'cjs', supported });
  // The ending tells that it is CommonJS: for .js the framework looks that up, which takes it 20 ms.
  await writeFile(path.join(outDir, 'index.cjs'), pickFunction);
  const imports = Object.values(outputs).flatMap((output) => output.imports.map((each) => each.path));
  return { outputs, packages: brought.filter((name) => imports.includes(name)) };
}

const pickFunction =
  "const name = process.env.FUNCTION_TARGET;\nmodule.exports = require('./' + name + '/' + name + '.cjs');\n";

const form = {
  platform: 'node',
  target: 'node24',
  // A cold start reads all of it. Names stay, for the traces of errors in the log.
  minifyWhitespace: true,
  minifySyntax: true,
  // Nothing that lies about in a folder above decides: ES modules are strict, and stay so as CommonJS.
  tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
  logLevel: 'silent',
} as const;

/** An `import()` of CommonJS is to be a `require` in a promise. */
const supported = { 'dynamic-import': false };

async function writeBundle(options: BuildOptions): Promise<Metafile['outputs']> {
  const { metafile, warnings, outputFiles } = await build({
    ...form,
    ...options,
    bundle: true,
    outExtension: { '.js': '.cjs' },
    external: brought,
    // Where a package has both, its CommonJS may be of the kind whose `require` nobody can see through.
    mainFields: ['module', 'main'],
    // Names of files as seen from the root, wherever node_modules really is.
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
 * An ES module costs more: each a third of a millisecond, and each import of a module of Node.js a look at all its
 * exports, one of which is, for node:http, the whole of fetch.
 */
async function toCommonJs(module: string): Promise<string> {
  return (await transform(module, { ...form, format: 'cjs', supported })).code;
}
