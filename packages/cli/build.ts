import { describeApi } from '../../functions/replay/api/describe-api.ts';
import { routes } from '../../functions/replay/replay.ts';
import { bundle, emptyDist } from '../build-package.ts';
import { type ApiDocument, readOperations } from './api/read-operations.ts';
import manifest from './package.json' with { type: 'json' };

// Writes the package to `dist/`: one file, with the operations of the API as its OpenAPI document has them.
const document = (await describeApi(routes)) as ApiDocument;
await bundle({
  entryPoints: ['packages/cli/dlo.ts'],
  outdir: await emptyDist(import.meta.dirname),
  packages: 'external',
  target: 'node20',
  format: 'esm',
  define: {
    operations: JSON.stringify(readOperations(document)),
    version: JSON.stringify(manifest.version),
  },
});
