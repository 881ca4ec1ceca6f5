/** A system that keeps failed events and delivers them again. Each measurement has an empty database and a process of its own. */
export type System = {
  readonly name: string;
  /** The facts of an event that it keeps beside the message. */
  readonly keeps: string;
  /** The tables of events, with their schema. */
  readonly tables: readonly string[];
  /** Creates the schema. */
  install(url: string): Promise<void>;
  /** Stores messages, each the JSON text of one event, as fast as it can; they are due at once. */
  readonly capture: (url: string, messages: readonly string[]) => Promise<void>;
  /** Ways to work off all events without doing anything with them, by a name with their settings. */
  readonly drains: Readonly<Record<string, (url: string) => Promise<void>>>;
  /** Counts events in SQL: all that are stored, and those that are not done. */
  readonly count: { readonly stored: string; readonly left: string };
};

/** Splits messages into batches. */
export function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** Works on all items with several workers. */
export async function inParallel<Item>(
  items: readonly Item[],
  workers: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  const run = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: workers }, run));
}
