import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';

/**
 * Counts what a process executes during some work: instructions in user mode, which other work on the machine
 * hardly changes, or where the CPU does not count them its time on a processor, in ns.
 */
export type Counter = {
  /** Counts while `work` runs. */
  readonly during: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Ends counting, and returns the sum. */
  readonly stop: () => Promise<number>;
};

const options = ['stat', '-e', 'instructions:u', '-x', ','];
const tried = spawnSync('perf', [...options, 'true'], { encoding: 'utf8' });
const isCounted = /^\d+,/m.test(tried.stderr ?? '');

/** The unit of a thousand counted. */
export const unit = isCounted ? 'instructions, thousands' : 'processor time, µs';

/** Opens a counter for a process, which needs Linux. */
export const openCounter = (pid: number): Promise<Counter> =>
  isCounted ? countInstructions(pid) : Promise.resolve(countTime(pid));

function countTime(pid: number): Counter {
  let sum = 0;
  const read = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  return {
    async during(work) {
      const before = read();
      const result = await work();
      sum += read() - before;
      return result;
    },
    stop: async () => sum,
  };
}

/** Counts by `perf stat`. */
async function countInstructions(pid: number): Promise<Counter> {
  const perf = spawn('perf', [...options, '-D', '-1', '--control', 'fd:3,4', '-p', `${pid}`], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, , errors, control, answers] = perf.stdio as unknown as [null, null, Duplex, Duplex, Duplex];
  let report = '';
  errors.setEncoding('utf8').on('data', (chunk: string) => {
    report += chunk;
  });
  const ended = once(perf, 'close').then(() => {
    throw new Error(`perf has ended. ${report}`);
  });
  ended.catch(() => {});
  const command = async (text: string) => {
    control.write(`${text}\n`);
    await Promise.race([once(answers, 'data'), ended]);
  };
  return {
    async during(work) {
      await command('enable');
      const result = await work();
      await command('disable');
      return result;
    },
    async stop() {
      perf.kill('SIGINT');
      await ended.catch(() => {});
      const count = Number(/(\d+),[^,]*,instructions/.exec(report)?.[1]);
      if (!(count > 0)) throw new Error(`perf counted nothing: ${report}`);
      return count;
    },
  };
}
