import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildBundle } from '../../infra/bundle/build-bundle.ts';
import { bundle, copyMigrations, emptyDist, root, writeTypes } from '../build-package.ts';

// Writes everything that the package has to `dist/`: the component and the code of its dynamic resources,
// which find the functions and the migrations beside themselves, and the types.
const dist = await emptyDist(import.meta.dirname);
const { hash } = await buildBundle({ root, outDir: path.join(dist, 'functions') });
await writeFile(path.join(dist, 'functions.json'), JSON.stringify({ hash }));
await bundle({
  entryPoints: ['packages/pulumi/dead-letter-office.ts', 'infra/dynamic/dynamic-code.ts'],
  outdir: dist,
  packages: 'external',
  target: 'node22',
  // CommonJS, which programs of either format can load: Pulumi's templates are CommonJS.
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
});
await writeFile(path.join(dist, 'package.json'), '{ "type": "commonjs" }\n');
await copyMigrations(dist);
await writeTypes(import.meta.dirname);
