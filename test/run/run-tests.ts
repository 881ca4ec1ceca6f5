import { randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { globalSetup, globalTeardown } from '../support/global-setup.ts';
import { keepTemplate } from '../support/template.ts';
import { findKeptServer } from './kept-server.ts';
import { maxWorkers, writeQueue } from './queue.ts';
import { reportTests } from './report-tests.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** With room for young objects, V8 collects less: a tenth of the processor time of a run. */
const heap = ['--min-semi-space-size=32', '--max-semi-space-size=64'];

const keepFlag = '--keep-server';
const allFlag = '--all';

const args = process.argv.slice(2);
const options = args.filter((each) => each.startsWith('--') && each !== keepFlag && each !== allFlag);
const patterns = args.filter((each) => !each.startsWith('--'));
const files = globSync(patterns.length > 0 ? patterns : ['test/**/*.test.ts'], { cwd: root }).sort();

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());

if (args.includes(allFlag)) process.env.TEST_ALL = '1';
process.env.TEST_SEED ??= `${randomInt(2 ** 31)}`;
console.log(`Large products are sampled: TEST_SEED=${process.env.TEST_SEED} tries the same ones again.`);

if (files.length === 0) console.error(`No file matches ${patterns.join(' ')}.`);

try {
  if (args.includes(keepFlag) && !process.env.DATABASE_URL) {
    process.env.DATABASE_URL = await findKeptServer();
    process.env.DLO_TEST_TEMPLATE = await keepTemplate();
  }
  const folder = await globalSetup();
  writeQueue(folder, files);
  const workers = Array<string>(Math.min(maxWorkers, files.length)).fill(
    path.join(import.meta.dirname, 'worker.ts'),
  );
  const events: AsyncIterable<TestEvent> = run({
    files: workers,
    concurrency: maxWorkers,
    execArgv: [...heap, ...options],
    cwd: root,
    signal: interrupt.signal,
  });
  const isGreen = await reportTests(events, files);
  process.exitCode = isGreen ? 0 : 1;
} finally {
  await globalTeardown();
}
