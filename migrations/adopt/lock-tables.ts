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
/** From the lock to the commit. Together with the wait for the lock it stays below the five seconds that docs/adopt.md promises. */
const maxHoldMs = 3500;
/** A machine that is too busy for the work is left to the consumers. */
const maxSlowAttempts = 4;
/** A process that stands still while it holds the lock loses its session. */
const maxIdleMs = 2000;
/** A vacuum ends itself within deadlock_timeout, unless it prevents the wraparound of transaction ids. */
const maxVacuumMs = 5000;

/**
 * Runs `work` in a transaction that holds exclusive locks on tables, and `prepare` before each attempt. Other sessions wait behind
 * a waiting lock: an attempt waits for 0.2 to 0.9 s and lets them pass before the next. Work that takes longer than 3.5 s is
 * rolled back. Throws a ConflictError that names the sessions that hold locks.
 */
export async function whileLocked<T>(
  connections: Connections,
  tables: readonly string[],
  work: () => Promise<T>,
  prepare: () => Promise<void> = async () => {},
): Promise<T> {
  const { lockAttempts } = connections;
  const seen = { blockers: '', slowAttempts: 0 };
  for (let attempt = 1; attempt <= lockAttempts; attempt++) {
    await prepare();
    const waitMs = Math.min(100 + 100 * attempt, maxWaitMs);
    const done = await tryLocked(connections, tables, waitMs, work, seen);
    if (done) return done.result;
    if (seen.slowAttempts === maxSlowAttempts) break;
    await pause(pauseMs);
  }
  if (seen.slowAttempts > 0) {
    throw new ConflictError(
      `The change of ${tables.join(' and ')} took longer than ${maxHoldMs / 1000} s, ${seen.slowAttempts} times, and was rolled back: the server is too busy. Start the adoption again later: it continues.`,
    );
  }
  throw new ConflictError(
    `${tables.join(' and ')} could not be locked in ${lockAttempts} attempts: another transaction holds a lock. ${seen.blockers}`.trim() +
      ' End that transaction, or wait for its end, and start the adoption again: it continues.',
  );
}

/** Returns undefined, and notes why, if the attempt has to be repeated. */
async function tryLocked<T>(
  { client, observer }: Connections,
  tables: readonly string[],
  waitMs: number,
  work: () => Promise<T>,
  seen: { blockers: string; slowAttempts: number },
): Promise<{ readonly result: T } | undefined> {
  const watchAfter = (ms: number) =>
    setTimeout(async () => {
      seen.blockers = (await findBlockers(observer, client).catch(() => '')) || seen.blockers;
    }, ms);
  let timer = watchAfter(maxVacuumMs / 2);
  try {
    await client.query('begin');
    await client.query(
      `set local lock_timeout = ${maxVacuumMs}; set local idle_in_transaction_session_timeout = ${maxIdleMs}`,
    );
    // Vacuum and other maintenance hold a lock for minutes: no statement of a consumer waits behind this wait for it.
    await client.query(`lock table ${tables.join(', ')} in share update exclusive mode`);
    clearTimeout(timer);
    timer = watchAfter(waitMs / 2);
    await client.query(`set local lock_timeout = ${waitMs}`);
    await client.query(`lock table ${tables.join(', ')} in access exclusive mode`);
    clearTimeout(timer);
    const limit = cancelAfter(maxHoldMs, observer, client);
    const result = await work().finally(limit.stop);
    await client.query('commit');
    return { result };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (isCancelled(error)) seen.slowAttempts++;
    else if (!isLockFailure(error)) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Cancels each statement from `ms` on: a single request could come between two statements. */
function cancelAfter(ms: number, observer: pg.Client, client: pg.Client) {
  const endsAt = performance.now() + ms;
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    if (performance.now() < endsAt) return;
    last = observer.query('select pg_cancel_backend($1)', [processId(client)]).catch(() => {});
  }, 100);
  const stop = async () => {
    clearInterval(timer);
    await last;
  };
  return { stop };
}

/** Whether the same statement may succeed later. */
export function isTemporary(error: unknown): boolean {
  return isLockFailure(error) || isCancelled(error);
}

/** The lock was not available in time, or two transactions waited for each other. */
function isLockFailure(error: unknown): boolean {
  return ['55P03', '40P01'].includes((error as pg.DatabaseError).code ?? '');
}

function isCancelled(error: unknown): boolean {
  return (error as pg.DatabaseError).code === '57014';
}

function processId(client: pg.Client): number {
  return (client as unknown as { processID: number }).processID;
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
    [processId(client)],
  );
  return rows.map(({ text }) => text).join(' ');
}
