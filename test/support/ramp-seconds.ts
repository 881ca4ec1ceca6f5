import type { Database } from '../../shared/database/database.ts';
import type { TestDatabase } from './database.ts';

/**
 * Returns a database for workers in which the present second of every ramp begins again with each statement
 * that asks for it, until `endSecond`.
 */
export function withFrozenRamps({ db, sql }: TestDatabase): Database {
  return {
    ...db,
    query: async (request) => {
      const result = await db.query<never>(request);
      if (/^(take-turns|judge)/.test(request.name ?? '')) await setSecond(sql, '-4 seconds');
      return result;
    },
  };
}

/** Ends the present second of every ramp, which began long ago. */
export async function endSecond({ sql }: TestDatabase, ago = '1 second'): Promise<void> {
  await setSecond(sql, ago);
}

async function setSecond(sql: TestDatabase['sql'], ago: string): Promise<void> {
  await sql('update dlq_breakers set ramp_step_at = now() - $1::interval where ramp is not null', [ago]);
}

/**
 * Works with more and more time, until it has sent something, and then until the present second allows no
 * more.
 */
export async function workInSecond(
  work: (seconds: number) => Promise<unknown>,
  sent: () => number,
): Promise<void> {
  const before = sent();
  for (let seconds = 0.25; sent() === before; seconds *= 2) await work(seconds);
  for (let last = before; last < sent(); ) {
    last = sent();
    await work(0.25);
  }
}
