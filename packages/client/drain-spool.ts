import { CaptureError } from './capture-error.ts';
import type { Report } from './report.ts';
import type { Spool } from './spool.ts';

type Draining = {
  readonly spool: Spool;
  readonly send: (report: Report) => Promise<void>;
  readonly warn: (text: string) => void;
};

export type Drain = {
  /** Sends what the spool holds, oldest first. Does nothing while it is being sent. */
  start(): void;
  /** Resolves after the reports that can be sent now. */
  settle(): Promise<void>;
  /** Stops after the report that is being sent. The others stay on disk. */
  stop(): Promise<void>;
};

const firstDelayMs = 500;
const maxDelayMs = 30_000;

/** Sends the reports of a spool one by one; while capture is unavailable, with longer and longer pauses. */
export function openDrain(draining: Draining): Drain {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isStopped = false;
  let isAskedAgain = false;

  const run = async () => {
    let isDone: boolean;
    do {
      isAskedAgain = false;
      isDone = await drainOnce(draining, () => isStopped);
      // A report that was added meanwhile may be missing from the list.
    } while (isDone && isAskedAgain);
    running = undefined;
    failures = isDone ? 0 : failures + 1;
    if (!isDone && !isStopped) schedule();
  };
  const start = () => {
    clearTimeout(timer);
    isAskedAgain = true;
    if (!isStopped) running ??= run();
  };
  const schedule = () => {
    // The process may end meanwhile: the reports are on disk.
    timer = setTimeout(start, pauseAfter(failures)).unref();
  };
  return {
    start,
    settle: async () => {
      start();
      await running;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Half of the pause is jitter, in ms. */
function pauseAfter(failures: number): number {
  return Math.min(firstDelayMs * 2 ** failures, maxDelayMs) * (0.5 + Math.random() / 2);
}

/** Returns whether every report was sent or set aside. */
async function drainOnce({ spool, send, warn }: Draining, isStopped: () => boolean): Promise<boolean> {
  try {
    for (const name of await spool.list()) {
      if (isStopped()) return false;
      await sendSpooled({ spool, send, warn }, name);
    }
    return true;
  } catch (error) {
    warn(`The spool waits: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

async function sendSpooled({ spool, send, warn }: Draining, name: string): Promise<void> {
  const report = await spool.read(name);
  if (!report) return spool.setAside(name);
  try {
    await send(report);
  } catch (error) {
    if (!(error instanceof CaptureError) || error.reason !== 'refused') throw error;
    warn(`${name} is set aside as ${name}.refused: ${error.message}`);
    return spool.setAside(name);
  }
  await spool.remove(name);
}
