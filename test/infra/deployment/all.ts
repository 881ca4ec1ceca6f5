import { globSync } from 'node:fs';
import path from 'node:path';

// `npm test` runs the tests of this folder in one process: each would spend most of its time on loading Pulumi's SDK.
for (const file of globSync('*.test.ts', { cwd: import.meta.dirname }).sort()) {
  await import(path.join(import.meta.dirname, file));
}
