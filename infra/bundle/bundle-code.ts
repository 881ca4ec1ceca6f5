import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { inlineSql } from './inline-sql.ts';
import { keepPlaces } from './keep-places.ts';
import { loadAtOnce } from './load-at-once.ts';
import { rewriteModules } from './rewrite-modules.ts';
import { setApart } from './set-apart.ts';

export type Code = { readonly root: string; readonly outDir: string; readonly entry: string };

/** What the framework is loaded with in any case, so that it is not to be loaded twice. */
const brought = ['@google-cloud/functions-framework', 'express'];

/**
 * Writes one file for each function that `entry` exports, with all of its code, and one for each package that code
 * loads only when it needs it. So an instance opens two files at its start and parses nothing of other functions.
 * Returns the packages that have to be installed beside them.
 */
export async function bundleCode({ root, outDir, entry }: Code): Promise<string[]> {
  const packages = new Set<string>();
  const rewrites = [loadAtOnce(entry), inlineSql(root), keepPlaces];
  const plugins = [rewriteModules(root, rewrites), setApart(packages)];
  const imports: string[] = [];
  for (const name of await listExports(root, entry)) {
    const stdin = { contents: `export { ${name} } from './${entry}';`, resolveDir: root };
    const outfile = path.join(outDir, `${name}.cjs`);
    imports.push(...(await bundle({ absWorkingDir: root, stdin, outfile, plugins })));
  }
  const entryPoints = Object.fromEntries([...packages].sort().map((name) => [`packages/${name}`, name]));
  await bundle({ absWorkingDir: root, entryPoints, outdir: outDir });
  // The ending tells that it is CommonJS: for .js the framework looks that up, which takes it 20 ms.
  await writeFile(path.join(outDir, 'index.cjs'), pickFunction);
  return brought.filter((name) => imports.includes(name));
}

const pickFunction = "module.exports = require('./' + process.env.FUNCTION_TARGET + '.cjs');\n";

async function listExports(root: string, entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: '.',
    format: 'esm',
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}

/** Returns the imports that are left to the time when the code runs. */
async function bundle(options: BuildOptions): Promise<string[]> {
  const { metafile, warnings } = await build({
    ...options,
    bundle: true,
    // An ES module costs more: each file a third of a millisecond, and each import of a module of Node.js a look at
    // all its exports, one of which is, for node:http, the whole of fetch.
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    supported: { 'dynamic-import': false },
    platform: 'node',
    target: 'node24',
    external: brought,
    // Where a package has both, its CommonJS may be of the kind whose `require` nobody can see through.
    mainFields: ['module', 'main'],
    // Comments name files as seen from the root, wherever node_modules really is.
    preserveSymlinks: true,
    // Nothing that lies about in a folder above decides: ES modules are strict, and stay so as CommonJS.
    tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
    metafile: true,
    logLevel: 'silent',
  });
  const [warning] = warnings;
  if (warning) throw new Error(`${warning.text} (${warning.location?.file}:${warning.location?.line})`);
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path: name }) => name));
}
