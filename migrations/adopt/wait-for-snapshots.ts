import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type Connections, findBlockers } from './lock-tables.ts';

const firstAttemptMs = 5000;
const maxAttemptMs = 600_000;

/**
 * Waits until no transaction is left that took its snapshot before the copy was complete: it would find rows missing in a table
 * that takes over under its eyes. CREATE INDEX CONCURRENTLY waits for exactly these, whatever the rights of the login. Nobody
 * waits behind it. Calls `say` with the transactions that it waits for.
 */
export async function waitForSnapshots(
  { client, observer }: Connections,
  say: (text: string) => void,
): Promise<void> {
  // An attempt waits for transactions that began before it: a longer one lets those end that overlap.
  for (let attemptMs = firstAttemptMs; ; attemptMs = Math.min(2 * attemptMs, maxAttemptMs)) {
    await client.query('drop index if exists public.dlq_adoption_wait');
    const watch = setTimeout(async () => {
      const blockers = await findBlockers(observer, client).catch(() => '');
      if (blockers) say(`Waiting for the end of transactions that began before. ${blockers}`);
    }, firstAttemptMs / 2);
    try {
      await client.query(`set statement_timeout = ${attemptMs}`);
      await client.query('create index concurrently dlq_adoption_wait on public.dlq_adoption (rows)');
      return;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== '57014') throw error;
    } finally {
      clearTimeout(watch);
      await client.query('set statement_timeout = 0');
    }
    await pause(firstAttemptMs / 5);
  }
}
