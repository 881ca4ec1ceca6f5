import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { buildBundle } from '../../infra/bundle/build-bundle.ts';

// Writes everything that the package has to `dist/`, in the folders of the repository: modules find each other, and the
// migrations, as they do there.
const root = path.resolve(import.meta.dirname, '../..');
const dist = path.join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });

const { hash } = await buildBundle({ root, outDir: path.join(dist, 'functions') });
await writeFile(path.join(dist, 'functions.json'), `${JSON.stringify({ hash })}\n`);

// CommonJS, which programs of either format can load: Pulumi's templates are CommonJS.
await writeFile(path.join(dist, 'package.json'), '{ "type": "commonjs" }\n');
const options: BuildOptions = {
  absWorkingDir: root,
  outdir: dist,
  outbase: root,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
};
const importJavaScript: Plugin = {
  name: 'import-javascript',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ts$/ }, ({ path: module, kind }) =>
      kind === 'entry-point' ? undefined : { path: module.replace(/\.ts$/, '.js'), external: true },
    ),
};
// All of infra/: dynamic providers import modules that no other module imports.
const roots = globSync(['infra/**/*.ts', 'packages/pulumi/dead-letter-office.ts'], {
  cwd: root,
  exclude: ['infra/bundle/**', 'infra/smoke/**', 'infra/index.ts'],
});
const { metafile } = await build({ ...options, entryPoints: roots, metafile: true, write: false });
await build({ ...options, entryPoints: Object.keys(metafile.inputs), plugins: [importJavaScript] });

for (const file of globSync(['migrations/*_*.sql', 'migrations/deploy/*.sql'], { cwd: root })) {
  await cp(path.join(root, file), path.join(dist, file));
}
await cp(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'));

const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
await promisify(execFile)(process.execPath, [tsc, '--project', import.meta.dirname]);
