import { getOrInsert } from '../get-or-insert.ts';

/** The share of the concurrency that all suspect kinds have together. */
const suspectShare = 0.75;

const sumCounts = (counts: Iterable<number>) => [...counts].reduce((sum, count) => sum + count, 0);

type State = ReturnType<typeof openState>;

function openState(max: number) {
  return {
    max,
    /** Kinds of which an event was answered, or hung. */
    answered: new Set<string>(),
    hung: new Set<string>(),
    running: new Map<string, number>(),
    /** By kind, in turn. */
    waiting: new Map<string, (() => void)[]>(),
  };
}

export type Concurrency = ReturnType<typeof openConcurrency>;

/**
 * Kinds of events take turns, and those that wait have equal shares of the concurrency of a route: one whose
 * events begin to hang leaves the others theirs, before the first has timed out. A kind is suspect until one
 * of its events was answered, and once one has hung: it holds half at most.
 */
export function openConcurrency(max: number, onRoom: () => void) {
  const state = openState(max);
  const { answered, hung, running, waiting } = state;
  const isFull = () => waiting.size > 0 && (sumCounts(running.values()) >= max || answered.size === 0);
  return {
    /** Whether deliveries wait for others to end, or for the first answer. */
    isFull,

    learn: (kind: string, hasHung: boolean) => void (hasHung ? hung : answered).add(kind),

    async run<Result>(kind: string, deliver: () => Promise<Result>): Promise<Result> {
      const { promise, resolve } = Promise.withResolvers<void>();
      getOrInsert(waiting, kind, () => []).push(resolve);
      startWaiting(state);
      await promise;
      try {
        return await deliver();
      } finally {
        const wasFull = isFull();
        addRunning(state, kind, -1);
        startWaiting(state);
        if (wasFull && !isFull()) onRoom();
      }
    },
  };
}

function startWaiting(state: State): void {
  const { waiting } = state;
  for (let kind = findNext(state); kind !== undefined; kind = findNext(state)) {
    const queue = waiting.get(kind) ?? [];
    const start = queue.shift();
    // The others of its kind wait for its next turn.
    waiting.delete(kind);
    if (queue.length > 0) waiting.set(kind, queue);
    addRunning(state, kind, 1);
    start?.();
  }
}

function addRunning({ running }: State, kind: string, change: number): void {
  const count = (running.get(kind) ?? 0) + change;
  if (count > 0) running.set(kind, count);
  else running.delete(kind);
}

function findNext({ max, answered, hung, running, waiting }: State): string | undefined {
  if (waiting.size === 0 || sumCounts(running.values()) >= max) return undefined;
  const isSuspect = (kind: string) => hung.has(kind) || !answered.has(kind);
  const suspects = sumCounts([...running].map(([kind, count]) => (isSuspect(kind) ? count : 0)));
  const isFull = (kind: string, kinds: number) => (running.get(kind) ?? 0) >= Math.ceil(max / kinds);
  return [...waiting.keys()].find((kind) => {
    if (!isSuspect(kind)) return !isFull(kind, waiting.size);
    return suspects < Math.ceil(max * suspectShare) && !isFull(kind, Math.max(2, waiting.size));
  });
}
