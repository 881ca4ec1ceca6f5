import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle, emptyDist, writeTypes } from '../build-package.ts';

// Writes the package to `dist/`, once for each module system, because a type describes a module of its own
// format only.
const dist = await emptyDist(import.meta.dirname);
await writeTypes(import.meta.dirname);
await cp(path.join(dist, 'esm'), path.join(dist, 'cjs'), { recursive: true });
await writeFile(path.join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
for (const format of ['esm', 'cjs'] as const) {
  await bundle({
    entryPoints: ['packages/client/client.ts'],
    outdir: path.join(dist, format),
    target: 'node20',
    format,
  });
}
