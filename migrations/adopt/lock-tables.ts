import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { ConflictError } from '../../shared/errors.ts';

/** The connection that adopts, another one that sees what it waits for, and how often it tries to lock tables. */
export type Connections = {
  readonly client: pg.Client;
  readonly observer: pg.Client;
  readonly lockAttempts: number;
};

/** Below deadlock_timeout, 1 s by default: not the transaction of a consumer is cancelled, but this one. */
const maxWaitMs = 900;
const pauseMs = 700;
/** A statement between lock and commit; all of them take some 100 ms. */
const maxStatementMs = 3000;

/**
 * Runs `work` in a transaction that holds exclusive locks on tables. Other sessions wait behind a waiting lock: an attempt waits
 * for 0.2 to 0.9 s and lets them pass before the next. Throws a ConflictError that names the sessions that hold locks.
 */
export async function whileLocked<T>(
  { client, observer, lockAttempts }: Connections,
  tables: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  let blockers = '';
  for (let attempt = 1; attempt <= lockAttempts; attempt++) {
    const waitMs = Math.min(100 + 100 * attempt, maxWaitMs);
    const watch = setTimeout(async () => {
      blockers = (await findBlockers(observer, client).catch(() => '')) || blockers;
    }, waitMs / 2);
    try {
      await client.query('begin');
      await client.query(
        `set local lock_timeout = ${waitMs}; set local statement_timeout = ${maxStatementMs}`,
      );
      await client.query(`lock table ${tables.join(', ')} in access exclusive mode`);
      clearTimeout(watch);
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      if (!isLockFailure(error)) throw error;
    } finally {
      clearTimeout(watch);
    }
    await pause(pauseMs);
  }
  throw new ConflictError(
    `${tables.join(' and ')} could not be locked in ${lockAttempts} attempts: another transaction holds a lock. ${blockers}`.trim() +
      ' End that transaction, or wait for its end, and start the adoption again: it continues.',
  );
}

/** The lock was not available in time, or two transactions waited for each other. */
function isLockFailure(error: unknown): boolean {
  return ['55P03', '40P01'].includes((error as pg.DatabaseError).code ?? '');
}

/** Describes the sessions and prepared transactions that a client waits for; empty if it does not wait. */
export async function findBlockers(observer: pg.Client, client: pg.Client): Promise<string> {
  const { rows } = await observer.query<{ text: string }>(
    `select format('Session %s of %s, %s for %s s: %s', pid, coalesce(usename, 'an unknown user'), coalesce(state, 'active'),
       coalesce(extract(epoch from now() - xact_start)::int, 0), left(regexp_replace(query, '\\s+', ' ', 'g'), 120)) as text
     from pg_stat_activity
     where pid = any (pg_blocking_pids($1))
     union all
     select format('Prepared transaction %L of %s, for %s s.', gid, owner, extract(epoch from now() - prepared)::int)
     from pg_prepared_xacts
     where 0 = any (pg_blocking_pids($1)) and database = current_database()`,
    [(client as unknown as { processID: number }).processID],
  );
  return rows.map(({ text }) => text).join(' ');
}
