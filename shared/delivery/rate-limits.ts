import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import type { Route } from './routes.ts';
import { nameTarget } from './targets/target-kinds.ts';

type Tokens = { route: string; ratePerSecond: number; wanted: number };

const take = statement<Tokens, { readonly granted: number }>('take-tokens');

/**
 * Takes up to `wanted` deliveries from a named token bucket, and returns how many; 0 if another session has
 * locked the bucket. A negative number returns unused ones.
 */
export async function takeTokens(db: Database, tokens: Tokens): Promise<number> {
  const [taken] = await unlessLocked(take(db, tokens), []);
  return taken?.granted ?? 0;
}

/** Names the bucket of a route, which has no name of its own: its conditions and its target identify it. */
export function nameBucket({ match, target }: Route): string {
  return `${nameTarget(target)} ${JSON.stringify(match)}`;
}
