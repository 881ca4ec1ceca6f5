import { setImmediate } from 'node:timers/promises';

/**
 * Returns a function that has an item handled by the next call of `handle`: calls follow one another, and the
 * items that come while one runs share the next, as do those that come at once.
 */
export function inBatches<Item, Result>(handle: (items: readonly Item[]) => Promise<Result>) {
  let waiting: Item[] = [];
  let next: Promise<Result> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const handleAll = async () => {
    await last;
    await setImmediate();
    const items = waiting;
    waiting = [];
    next = undefined;
    const handling = handle(items);
    last = handling.catch(() => {});
    return handling;
  };
  return (item: Item): Promise<Result> => {
    waiting.push(item);
    next ??= handleAll();
    return next;
  };
}
