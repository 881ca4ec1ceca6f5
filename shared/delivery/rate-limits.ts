import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import type { Claimed } from './claim.ts';
import type { Route } from './routes.ts';
import { nameTarget } from './targets/target-kinds.ts';

type Tokens = { route: string; ratePerSecond: number; wanted: number };

const take = statement<Tokens, { readonly granted: number }>('take-tokens', import.meta.url);

/**
 * Takes up to `wanted` deliveries from a named token bucket, and returns how many; 0 if another session has locked the bucket. A
 * negative number returns unused ones.
 */
export async function takeTokens(db: Database, tokens: Tokens): Promise<number> {
  const [taken] = await unlessLocked(take(db, tokens), []);
  return taken?.granted ?? 0;
}

/** How many events of each route a claim may take. */
export type Quotas = ReadonlyMap<Route, number>;

/**
 * Claims events of routes, up to `limits`, within their rates: takes tokens from the buckets that all instances share,
 * claims, and returns unused tokens. `waitMs` is until a route that was granted nothing may deliver again; undefined if
 * every route was granted some.
 */
export async function claimWithinRates(
  db: Database,
  limits: Quotas,
  claim: (quotas: Quotas) => Promise<readonly Claimed[]>,
) {
  const quotas = new Map<Route, number>();
  for (const [route, wanted] of limits) {
    const { ratePerSecond } = route.policy;
    const isFree = ratePerSecond === undefined;
    quotas.set(
      route,
      isFree ? wanted : await takeTokens(db, { route: nameBucket(route), ratePerSecond, wanted }),
    );
  }
  const claimed = await claim(quotas);
  const waits: number[] = [];
  for (const [route, quota] of quotas) {
    const { ratePerSecond } = route.policy;
    if (ratePerSecond === undefined) continue;
    const unused = quota - claimed.filter((each) => each.route === route).length;
    if (unused > 0) await takeTokens(db, { route: nameBucket(route), ratePerSecond, wanted: -unused });
    if (quota === 0) waits.push(1000 / ratePerSecond);
  }
  return { claimed, quotas, waitMs: waits.length > 0 ? Math.min(...waits) : undefined };
}

/** A route has no name of its own: its conditions and its target identify it. */
function nameBucket({ match, target }: Route): string {
  return `${nameTarget(target)} ${JSON.stringify(match)}`;
}

const purge = statement<Record<string, never>, { readonly purged: number }>(
  'purge-rate-limits',
  import.meta.url,
);

/** Purges the token buckets of routes and replays that no delivery has used for a day. Each replay with a rate has one. */
export async function purgeRateLimits(db: Database): Promise<{ rates: number }> {
  const [result] = await purge(db, {});
  return { rates: result?.purged ?? 0 };
}
