import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { buildBundle } from '../../infra/bundle/build-bundle.ts';

// Writes everything that the package has to `dist/`: the component and the code of its dynamic resources, which find the
// functions and the migrations beside themselves, and the types.
const root = path.resolve(import.meta.dirname, '../..');
const dist = path.join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });

const { hash } = await buildBundle({ root, outDir: path.join(dist, 'functions') });
await writeFile(path.join(dist, 'functions.json'), JSON.stringify({ hash }));

await build({
  absWorkingDir: root,
  entryPoints: ['packages/pulumi/dead-letter-office.ts', 'infra/dynamic/dynamic-code.ts'],
  entryNames: '[name]',
  outdir: dist,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node22',
  // CommonJS, which programs of either format can load: Pulumi's templates are CommonJS.
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
});
await writeFile(path.join(dist, 'package.json'), '{ "type": "commonjs" }\n');

for (const file of globSync(['[0-9]*_*.sql', 'deploy/*.sql'], { cwd: path.join(root, 'migrations') })) {
  await cp(path.join(root, 'migrations', file), path.join(dist, file));
}
await cp(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'));

const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
await promisify(execFile)(process.execPath, [tsc, '--project', import.meta.dirname]);
