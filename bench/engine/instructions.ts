import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** Counts the instructions in user mode that a process executes during some work. Other work on the machine hardly changes them. */
export type Counter = {
  /** Counts while `work` runs. */
  readonly during: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Ends counting, and returns the sum. */
  readonly stop: () => Promise<number>;
};

/** Opens a counter for a process, by `perf stat`, which needs Linux and a CPU that counts. */
export async function openCounter(pid: number): Promise<Counter> {
  const options = ['stat', '-e', 'instructions:u', '-x', ',', '-D', '-1', '--control', 'fd:3,4'];
  const perf = spawn('perf', [...options, '-p', `${pid}`], {
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
