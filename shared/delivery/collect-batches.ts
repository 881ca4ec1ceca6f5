type Collecting<T> = {
  readonly max: () => number;
  readonly waitMs: number;
  /** Whether no further item is expected: the batch is taken without waiting for `max` or `waitMs`. */
  readonly isComplete: () => boolean;
  /** Must not reject. */
  readonly take: (batch: readonly T[]) => Promise<void>;
  readonly onTaken: () => void;
};

/**
 * Collects items into batches and passes them to `take`, one batch at a time: once there are `max()` items, or no more are
 * expected, or the first has waited for `waitMs`. Items that arrive meanwhile form the next batch.
 */
export function collectBatches<T>({ max, waitMs, isComplete, take, onTaken }: Collecting<T>) {
  let items: T[] = [];
  let isTaking = false;
  let timer: NodeJS.Timeout | undefined;
  const takeAll = async () => {
    clearTimeout(timer);
    timer = undefined;
    const batch = items;
    items = [];
    isTaking = true;
    await take(batch);
    isTaking = false;
    takeIfReady();
    onTaken();
  };
  const takeIfReady = () => {
    if (isTaking || items.length === 0) return;
    if (items.length >= max() || isComplete()) void takeAll();
    else timer ??= setTimeout(takeAll, waitMs);
  };
  return {
    add(item: T): void {
      items.push(item);
      takeIfReady();
    },
    isEmpty: () => items.length === 0 && !isTaking,
  };
}
