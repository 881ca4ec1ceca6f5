import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import { fetchSoftware } from './support/fetch-software.ts';

// `npm run test:brokers [-- [--update] [--pin] [SOURCE ...]]`: fetches the software that fails, and tests the
// loop of each source.
const root = path.resolve(import.meta.dirname, '../..');
const parameters = process.argv.slice(2);
const isUpdate = parameters.includes('--update');
const names = parameters.filter((each) => !each.startsWith('--'));

await fetchSoftware({ isPinning: parameters.includes('--pin') });
process.exitCode = await test();

async function test(): Promise<number> {
  const all = globSync('*.ts', { cwd: path.join(import.meta.dirname, 'sources') }).sort();
  const files = all.filter((file) => names.length === 0 || names.includes(path.basename(file, '.ts')));
  if (files.length === 0)
    throw new Error(`No such source. There are: ${all.join(', ').replaceAll('.ts', '')}.`);
  const options = ['--test', '--test-concurrency=1', '--test-reporter=spec', '--test-timeout=600000'];
  const setup = '--test-global-setup=test/brokers/global-setup.ts';
  const update = isUpdate ? ['--test-update-snapshots'] : [];
  const sources = files.map((file) => `test/brokers/sources/${file}`);
  const child = spawn(process.execPath, [...options, setup, ...update, ...sources], {
    cwd: root,
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child as well; it stops everything.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, 'exit');
  return status ?? 1;
}
