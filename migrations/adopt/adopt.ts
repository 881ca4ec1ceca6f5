import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { DatabaseLocation } from '../../shared/config/database-location.ts';
import { ConflictError } from '../../shared/errors.ts';
import { withClient } from '../with-client.ts';
import { cancelAdoption } from './cancel-adoption.ts';
import { copyPending, copyRows } from './copy-rows.ts';
import { type ForeignKey, finishAdoption } from './finish-adoption.ts';
import type { Table } from './inspect-table.ts';
import { type Connections, whileLocked } from './lock-tables.ts';
import type { Plan } from './plan.ts';
import { beginAndRehearse } from './rehearse.ts';
import { waitForSnapshots } from './wait-for-snapshots.ts';

/** An adoption that was begun and is not finished: one entry for each table. */
export type Begun = readonly { readonly name: string; readonly digest: string; readonly rows: number }[];

/** Consumers whose statements cannot be copied at once go on: the last rows are copied under the lock. */
const maxRounds = 5;

/** Opens the two connections of an adoption. Throws a ConflictError if another adoption is running. */
export function withConnections<T>(
  location: DatabaseLocation,
  lockAttempts: number,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  return withClient(location, (observer) =>
    withClient(location, async (client) => {
      await client.query(
        `set search_path = public; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`,
      );
      await lockAdoption(client);
      return work({ client, observer, lockAttempts });
    }),
  );
}

/** The session of a killed adoption ends with its statement; the lock ends with the session. */
async function lockAdoption(client: pg.Client): Promise<void> {
  const endsAt = Date.now() + 10_000;
  for (;;) {
    const { rows } = await client.query(
      `select pg_try_advisory_lock(hashtextextended('dlq_adopt', 0)) as "isLocked"`,
    );
    if (rows[0].isLocked) return;
    if (Date.now() > endsAt)
      throw new ConflictError('Another npm run adopt is running on this database: wait for its end.');
    await pause(200);
  }
}

/** Returns the adoption that was begun in this database and not finished; an empty list if there is none. */
export async function readBegun(client: pg.Client): Promise<Begun> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('public.dlq_adoption') is not null as exists`,
  );
  if (!rows[0]?.exists) return [];
  const begun = await client.query(
    'select name, digest, rows::float8 as rows from public.dlq_adoption order by name',
  );
  return begun.rows;
}

/** Creates the schema beside the tables of a plan without obstacles. From here on, statements of consumers are copied. */
export async function begin(connections: Connections, plan: Plan): Promise<void> {
  const { client } = connections;
  for (const { table } of plan.tables) await indexIds(client, table);
  await whileLocked(connections, tableNames(plan.tables.map(({ table }) => table)), () =>
    beginAndRehearse(client, plan),
  );
}

/** An archive may have no index on id, by which rows are copied. */
async function indexIds(client: pg.Client, { name, indexes }: Table): Promise<void> {
  if (indexes.some(({ isPlain, columns }) => isPlain && columns[0] === 'id')) return;
  await client.query('drop index concurrently if exists public.adopting_ids');
  await client.query(`create index concurrently adopting_ids on public.${name} (id)`);
}

/**
 * Copies the rows of an adoption that was begun, and gives the copies the names of the tables. Calls `report` with the number of
 * rows of each page, and `say` with what it waits for. Throws a ConflictError if a lock cannot be had, or a table was changed
 * meanwhile.
 */
export async function finish(
  connections: Connections,
  begun: Begun,
  report: (rows: number) => void,
  say: (text: string) => void,
): Promise<void> {
  const { client } = connections;
  for (const { name } of begun) await copyRows(client, name, report);
  for (const { name } of begun) await client.query(`analyze public.adopting_${name}`);
  const prepare = async () => {
    await copyAllPending(client, begun);
    await waitForSnapshots(connections, say);
    // A transaction that began before these rows were copied would not find them.
    for (let round = 0; round < maxRounds && (await copyAllPending(client, begun)); round++)
      await waitForSnapshots(connections, say);
  };
  const keys = await whileLocked(
    connections,
    tableNames(begun),
    () => finishAdoption(client, begun),
    prepare,
  );
  for (const key of keys) await validate(client, key, say);
}

/** The key already holds for every new row. The rows of the old table may break it if its triggers were disabled once. */
async function validate(client: pg.Client, { table, name }: ForeignKey, say: (text: string) => void) {
  await client.query(`alter table ${table} validate constraint ${name}`).catch((error: Error) => {
    say(`Foreign key ${name} of ${table} stays NOT VALID: ${error.message}.`);
  });
}

async function copyAllPending(client: pg.Client, begun: Begun): Promise<boolean> {
  let hasCopied = false;
  for (const { name } of begun) hasCopied = (await copyPending(client, name)) || hasCopied;
  return hasCopied;
}

/** Removes what an unfinished adoption created; the tables are as they were. */
export async function cancel(connections: Connections, begun: Begun): Promise<void> {
  const names = begun.map(({ name }) => name);
  await whileLocked(connections, tableNames(begun), () => cancelAdoption(connections.client, names));
}

function tableNames(tables: readonly { readonly name: string }[]): string[] {
  return tables.map(({ name }) => `public.${name}`);
}
