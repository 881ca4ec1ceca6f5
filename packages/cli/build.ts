import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { describeApi } from '../../functions/replay/api/describe-api.ts';
import { routes } from '../../functions/replay/replay.ts';
import { type ApiDocument, readOperations } from './api/read-operations.ts';
import manifest from './package.json' with { type: 'json' };

// Writes the package to `dist/`: one file, with the operations of the API as its OpenAPI document has them.
const dist = path.join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });
const document = (await describeApi(routes)) as ApiDocument;
await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['dlo.ts'],
  outdir: dist,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  define: {
    operations: JSON.stringify(readOperations(document)),
    version: JSON.stringify(manifest.version),
  },
});
await cp(path.resolve(import.meta.dirname, '../../LICENSE'), path.join(dist, 'LICENSE'));
