import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export type Writers = {
  /** The keys of acknowledged inserts. */
  readonly acknowledged: string[];
  readonly errors: string[];
  /** Waits until each writer has inserted at least five more rows. */
  readonly goOn: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/**
 * Starts sessions that insert one row after the other, a few milliseconds apart, with `$1` as JSON with a key
 * of its own, by the rights of `role`.
 */
export async function startWriters(url: string, insert: string, role: string, prefix = ''): Promise<Writers> {
  const acknowledged: string[] = [];
  const errors: string[] = [];
  const inserted = new EventEmitter();
  let isStopped = false;
  const counts = [0, 0, 0];
  const write = async (writer: number) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set role ${role}`);
    while (!isStopped) {
      const key = `${prefix}${writer}-${counts[writer]}`;
      await client.query(insert, [JSON.stringify({ key })]).then(
        () => acknowledged.push(key),
        (error: Error) => errors.push(error.message),
      );
      counts[writer] = (counts[writer] ?? 0) + 1;
      inserted.emit('insert');
      await pause(3);
    }
    await client.end();
  };
  const all = Promise.all(counts.map((_, writer) => write(writer)));
  const goOn = async () => {
    const before = [...counts];
    while (counts.some((count, writer) => count < (before[writer] ?? 0) + 5)) await once(inserted, 'insert');
  };
  await goOn();
  return {
    acknowledged,
    errors,
    goOn,
    stop: async () => {
      isStopped = true;
      await all;
    },
  };
}
