/** Timers that can all be stopped at once. */
export type Timers = {
  /** Calls `act` once after `millis`; the function returned cancels that. */
  after(millis: number, act: () => void): () => void;
  clear(): void;
};

/** Creates an empty set of timers. */
export function createTimers(): Timers {
  const running = new Set<NodeJS.Timeout>();
  const cancel = (timer: NodeJS.Timeout) => {
    clearTimeout(timer);
    running.delete(timer);
  };
  return {
    after(millis, act) {
      const timer = setTimeout(() => {
        running.delete(timer);
        act();
      }, millis);
      running.add(timer);
      return () => cancel(timer);
    },
    clear: () => running.forEach(cancel),
  };
}
