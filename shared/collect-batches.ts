type Collecting<T> = {
  readonly most: number;
  readonly waitMs: number;
  /** Whether what there is has to wait for nothing more. */
  readonly isComplete: () => boolean;
  /** Must not reject. */
  readonly take: (batch: readonly T[]) => Promise<void>;
  /** Called when a batch is done with. */
  readonly onTaken: () => void;
};

export type Collector<T> = { add(item: T): void; isEmpty(): boolean };

/**
 * Hands items on in batches, one batch at a time: as soon as there are `most`, or all there will be, or the first has
 * waited for `waitMs`. What comes while a batch is at work is the next one.
 */
export function collectBatches<T>({ most, waitMs, isComplete, take, onTaken }: Collecting<T>): Collector<T> {
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
    if (items.length >= most || isComplete()) void takeAll();
    else timer ??= setTimeout(takeAll, waitMs);
  };
  return {
    add(item) {
      items.push(item);
      takeIfReady();
    },
    isEmpty: () => items.length === 0 && !isTaking,
  };
}
