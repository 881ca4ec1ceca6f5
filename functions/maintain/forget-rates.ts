import type { Database } from '../../shared/database.ts';
import { statement } from '../../shared/sql.ts';

const forget = statement<Record<string, never>, { readonly forgotten: number }>('forget-rates');

/** Forgets what is left to deliver of routes and replays that are at rest: a replay with a rate has a bucket of its own. */
export async function forgetRates(db: Database): Promise<{ rates: number }> {
  const [result] = await forget(db, {});
  return { rates: result?.forgotten ?? 0 };
}
