import type { Database } from './database.ts';
import type { Route } from './routes.ts';
import { nameTarget } from './routes.ts';
import { statement } from './sql.ts';

/** Takes up to `wanted` deliveries from a bucket by its name; a negative number gives back what was not used. */
export const takeTokens = statement<
  { route: string; ratePerSecond: number; wanted: number },
  { readonly granted: number }
>('take-tokens');

/** How many deliveries each rate-limited route may make now, by its place in the list. Routes without a rate are not in it. */
export type Quotas = ReadonlyMap<number, number>;

/** Takes up to `wanted` deliveries for each rate-limited route at `places`, from buckets that all instances share. */
export async function takeQuotas(
  db: Database,
  routes: readonly Route[],
  { places, wanted }: { readonly places: ReadonlySet<number>; readonly wanted: number },
): Promise<Quotas> {
  const quotas = new Map<number, number>();
  for (const [place, route] of routes.entries()) {
    const { ratePerSecond } = route.policy;
    if (ratePerSecond === undefined || !places.has(place)) continue;
    const [taken] = await takeTokens(db, { route: nameRoute(route), ratePerSecond, wanted });
    quotas.set(place, taken?.granted ?? 0);
  }
  return quotas;
}

/** Gives back what was taken and not used. */
export async function returnQuotas(
  db: Database,
  routes: readonly Route[],
  quotas: Quotas,
  used: ReadonlyMap<number, number>,
): Promise<void> {
  for (const [place, quota] of quotas) {
    const route = routes[place];
    const unused = quota - (used.get(place) ?? 0);
    const { ratePerSecond } = route?.policy ?? {};
    if (!route || ratePerSecond === undefined || unused <= 0) continue;
    await takeTokens(db, { route: nameRoute(route), ratePerSecond, wanted: -unused });
  }
}

/** Milliseconds until a route that was granted nothing has its next delivery; undefined if none is short. */
export function findShortage(routes: readonly Route[], quotas: Quotas): number | undefined {
  const waits = [...quotas]
    .filter(([, quota]) => quota === 0)
    .map(([place]) => 1000 / (routes[place]?.policy.ratePerSecond ?? 1));
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

/** A route has no name of its own; what it matches and where it sends tell it apart. */
function nameRoute({ match, target }: Route): string {
  return `${nameTarget(target)} ${JSON.stringify(match)}`;
}
