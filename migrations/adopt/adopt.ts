import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { applyWithin } from './apply-within.ts';
import { findObstacles, type Inspection } from './find-obstacles.ts';

/** What adopting came to: nothing to do, reasons why it cannot be done, or the number of rows that were moved. */
export type Adoption =
  | { readonly kind: 'nothing to do'; readonly why: string }
  | { readonly kind: 'refused'; readonly obstacles: readonly string[] }
  | { readonly kind: 'adopted'; readonly events: number };

type MovedBatch = { readonly lastId: string | null; readonly events: number };

const batchSize = 2000;

/**
 * Turns a `dlq_events` table of the articles' shape into ours. The new table takes the old one's name, rights and ids in one short
 * transaction, so that consumers go on writing; then the rows follow in batches, each in a transaction of its
 * own. Killed at any moment it can be started again, and goes on. `report` is told how many rows have been moved so far.
 */
export async function adopt(databaseUrl: string, report: (events: number) => void): Promise<Adoption> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // One adoption at a time; the lock goes with the session.
    await client.query(`select pg_advisory_lock(hashtextextended('dlq_adopt', 0))`);
    const { rows } = await client.query<Inspection>(await readStatement('inspect-table'));
    const found = rows[0] as Inspection;
    if (!found.isBegun) {
      if (found.isOurs)
        return { kind: 'nothing to do', why: 'dlq_events is a table of this product already.' };
      if (!found.exists)
        return { kind: 'nothing to do', why: 'There is no dlq_events here: npm run migrate makes one.' };
      const obstacles = await findObstacles(client, found);
      if (obstacles.length > 0) return { kind: 'refused', obstacles };
      await takeOver(client);
    }
    return { kind: 'adopted', events: await moveEvents(client, report) };
  } finally {
    await client.end();
  }
}

/** All or nothing. Waits for no long transaction of others, who would all have to wait behind it in turn. */
async function takeOver(client: pg.Client): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '5s'`);
    await client.query(await readStatement('set-aside'));
    await applyWithin(client);
    await client.query(await readStatement('hand-over'));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function moveEvents(client: pg.Client, report: (events: number) => void): Promise<number> {
  const statement = await readStatement('move-events');
  let events = 0;
  let lastId: string | null = '-9223372036854775808';
  while (lastId !== null) {
    const { rows }: pg.QueryResult<MovedBatch> = await client.query(statement, [lastId, batchSize]);
    events += rows[0]?.events ?? 0;
    lastId = rows[0]?.lastId ?? null;
    if (lastId !== null) report(events);
  }
  await client.query('drop table dlq_events_adopted');
  return events;
}

function readStatement(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, import.meta.url), 'utf8');
}
