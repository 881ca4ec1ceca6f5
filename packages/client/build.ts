import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

// Writes the package to `dist/`, once for each module system, because a type describes a module of its own
// format only.
const root = path.resolve(import.meta.dirname, '../..');
const dist = path.join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });

const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
await promisify(execFile)(process.execPath, [tsc, '--project', import.meta.dirname]);
await mkdir(path.join(dist, 'cjs'));
await cp(path.join(dist, 'esm'), path.join(dist, 'cjs'), { recursive: true });
await writeFile(path.join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');

for (const format of ['esm', 'cjs'] as const) {
  await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ['client.ts'],
    outdir: path.join(dist, format),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
  });
}
await cp(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'));
