import { once } from 'node:events';
import { isAlive, readCommand, readParent } from './processes/process-table.ts';

/** The one thing that ends an office: a person who asks for it, or a failure that it cannot go on with. */
export type Ending = {
  readonly signal: AbortSignal;
  readonly fail: (error: unknown) => void;
  /** Resolves when a person ended it; rejects with the failure otherwise. */
  readonly wait: () => Promise<void>;
  readonly isAskedFor: () => boolean;
};

const askedFor = Symbol('asked for');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const npmEveryMs = 500;

/** Listens for what may end the office. Asking twice changes nothing: closing takes seconds at most. */
export function awaitEnding(): Ending {
  const ending = new AbortController();
  const ended = once(ending.signal, 'abort');
  const ask = () => ending.abort(askedFor);
  for (const signal of signals) process.on(signal, ask);
  watchNpm(ask);
  return {
    signal: ending.signal,
    fail: (error) => ending.abort(error),
    isAskedFor: () => ending.signal.reason === askedFor,
    wait: async () => {
      await ended;
      if (ending.signal.reason !== askedFor) throw ending.signal.reason;
    },
  };
}

/** A killed npm cannot pass anything on to us, and nobody would see or close this office any more. */
function watchNpm(ask: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const npm = findNpm();
  if (npm !== undefined) setInterval(() => isAlive(npm) || ask(), npmEveryMs).unref();
}

/** npm is our parent, or our grandparent where its shell stays between us. */
function findNpm(): number | undefined {
  const isShell = readCommand(process.ppid).includes('start.ts');
  return isShell ? readParent(process.ppid) : process.ppid;
}
