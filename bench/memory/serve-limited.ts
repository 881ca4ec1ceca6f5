import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findFreePort } from '../../test/support/free-port.ts';

const root = path.resolve(import.meta.dirname, '../..');
const framework = path.join(root, 'node_modules/.bin/functions-framework');

/** MiB of the JavaScript heap, and of all private memory that is writable, of which V8 reserves 540: the program ends beyond. */
const maxHeap = 96;
const maxData = Number(process.env.MAX_DATA ?? 800);

/** Serves a function in a process with limited memory, whose resident memory in MB is read every 50 ms. */
export async function serveLimited(target: string, env: Record<string, string>) {
  const port = await findFreePort();
  const own = [process.execPath, `--max-old-space-size=${maxHeap}`, framework];
  const child = spawn(
    'prlimit',
    [`--data=${maxData * 2 ** 20}`, ...own, '--source', root, '--target', target, '--port', `${port}`],
    { env: { PATH: process.env.PATH, FUNCTION_TARGET: target, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text) => output.push(text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => text.includes('Serving function') && resolve());
    child.once('exit', () => reject(new Error(`The function did not start:\n${output.join('')}`)));
  });
  const curve: number[] = [];
  let peak = 0;
  const watching = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000;
      curve.push(read('VmRSS'));
      peak = read('VmHWM');
    } catch {
      // The process has ended.
    }
  }, 50);
  const stop = () => {
    clearInterval(watching);
    child.kill('SIGKILL');
  };
  return { url: `http://127.0.0.1:${port}/`, curve, peak: () => peak, output: () => output.join(''), stop };
}
