import path from 'node:path';
import { describe } from 'node:test';
import { closeIdle } from '../support/lend.ts';
import { maxAtOnce, takeFiles } from './queue.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Ends a hung file. Nothing else depends on it. */
const hungAfterMs = 15 * 60_000;

// A few processes run all files, most of them one after the other. The suite around a file keeps its hooks apart
// from those of others.
const environment = { ...process.env };
const runFile = (file: string) =>
  describe(file, { concurrency: 1, timeout: hungAfterMs }, async () => {
    await import(path.resolve(root, file));
  });
for (const files of takeFiles()) {
  if (files.length === 1) await runFile(`${files[0]}`);
  else await describe('files that wait', { concurrency: maxAtOnce }, () => void files.map(runFile));
  for (const name in process.env) if (environment[name] === undefined) delete process.env[name];
  Object.assign(process.env, environment);
}
await closeIdle();
// A connection that a file has left open would keep this process, whose tests have all been reported.
setTimeout(() => process.exit(), 2000).unref();
