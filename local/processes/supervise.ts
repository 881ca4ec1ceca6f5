import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { CannotOpenError } from '../cannot-open-error.ts';
import { keepTail } from './tail.ts';

/** A process that the office keeps running. */
export type Service = {
  readonly name: string;
  /** Starts it; called again after each death. Its stdout and stderr are pipes. */
  readonly launch: () => Promise<ChildProcess>;
  /** Whether it can be used by now; asked again and again. Throws a CannotOpenError when asking on is no use. */
  readonly probe: () => Promise<boolean>;
  readonly readLine: (line: string) => void;
  /** So long it may take to end by itself when it is closed. */
  readonly closingMs: number;
};

export type Watch = {
  readonly say: (text: string) => void;
  /** The service cannot run at all. */
  readonly fail: (error: unknown) => void;
};

export type Supervised = {
  readonly name: string;
  readonly isReady: () => boolean;
  readonly close: () => Promise<void>;
};

type State = { isReady: boolean };
type Life = { readonly wasReady: boolean; readonly end: string; readonly lastWords: string };

const mostStillborn = 3;
const longestPauseMs = 30_000;
const longestStartMs = 120_000;
const steadyMs = 60_000;

/** Starts a service and keeps it running until it is closed. */
export function supervise(service: Service, watch: Watch): Supervised {
  const closing = new AbortController();
  const state: State = { isReady: false };
  const ended = keepAlive(service, watch, state, closing.signal).catch(watch.fail);
  return {
    name: service.name,
    isReady: () => state.isReady,
    close: () => {
      closing.abort();
      return ended;
    },
  };
}

async function keepAlive(service: Service, watch: Watch, state: State, closing: AbortSignal): Promise<void> {
  for (let stillborn = 0, deaths = 0; ; deaths += 1) {
    const bornAt = Date.now();
    const { wasReady, end, lastWords } = await live(service, state, closing);
    if (closing.aborted) return;
    stillborn = wasReady ? 0 : stillborn + 1;
    if (stillborn === mostStillborn) {
      throw new CannotOpenError(`${service.name} ${end} before it could be used.\n${lastWords}`.trimEnd());
    }
    if (Date.now() - bornAt > steadyMs) deaths = 0;
    watch.say(`${service.name} ${end}; starting it again`);
    const pauseMs = Math.min(longestPauseMs, 250 * 2 ** deaths);
    await delay(pauseMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function live(service: Service, state: State, closing: AbortSignal): Promise<Life> {
  const child = await service.launch();
  const tail = keepTail(child, (line) => state.isReady && service.readLine(line));
  try {
    const wasReady = await waitUntilReady(service, child, closing);
    if (wasReady) {
      tail.lines.forEach(service.readLine);
      state.isReady = true;
      await once(child, 'exit', { signal: closing }).catch(() => undefined);
      state.isReady = false;
    }
    return { wasReady, end: describeEnd(child), lastWords: closing.aborted ? '' : await tail.read() };
  } finally {
    await stop(child, service.closingMs);
  }
}

async function waitUntilReady(service: Service, child: ChildProcess, closing: AbortSignal): Promise<boolean> {
  const endsAt = Date.now() + longestStartMs;
  while (isRunning(child) && !closing.aborted) {
    if (await service.probe()) return isRunning(child);
    if (Date.now() > endsAt) await stop(child, service.closingMs);
    await delay(40);
  }
  return false;
}

async function stop(child: ChildProcess, closingMs: number): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  const patience = setTimeout(() => child.kill('SIGKILL'), closingMs);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(patience);
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function describeEnd({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `ended with exit code ${exitCode}` : `was ended by ${signalCode}`;
}
