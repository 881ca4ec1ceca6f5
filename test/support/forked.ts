import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { after, before } from 'node:test';

/**
 * Runs a program of this folder in a process of its own, which trusts stand-ins of Google from its start.
 * Returns a function that sends it a message and returns its answer. Throws an Error if the process ends.
 */
export function useForked<Message extends object, Answer>(
  program: string,
  env: () => Record<string, string>,
): (message: Message) => Promise<Answer> {
  let child: ChildProcess | undefined;
  let ended: Promise<never> | undefined;
  before(() => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const file = path.join(import.meta.dirname, program);
    const forked = fork(file, { env: { PATH, NODE_COMPILE_CACHE, ...env() } });
    child = forked;
    ended = once(forked, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${code}.`)));
    ended.catch(() => {});
  });
  after(() => child?.disconnect());
  return async (message) => {
    if (!child || !ended) throw new Error('The process is there only while tests run.');
    child.send(message);
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    return answer;
  };
}
