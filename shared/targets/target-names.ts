import type { Database } from '../database/database.ts';
import { listBreakers } from '../delivery/breakers.ts';
import { listTargetNames, type Route } from '../delivery/routes.ts';
import { NotFoundError } from '../errors.ts';

/** The same with targets that are held and that no route has any more. */
export async function listKnownTargets(db: Database, routes: readonly Route[]): Promise<string[]> {
  const held = (await listBreakers(db, {})).filter(({ heldAt }) => heldAt !== null);
  return [...new Set([...listTargetNames(routes), ...held.map(({ target }) => target)])];
}

/** Throws NotFoundError unless a route has the target. */
export function assertTarget(routes: readonly Route[], name: string): void {
  if (!listTargetNames(routes).includes(name)) throw noSuchTarget(name);
}

/** Throws NotFoundError unless a route has the target, or an operator holds it. */
export async function assertKnown(db: Database, routes: readonly Route[], name: string): Promise<void> {
  if (!(await listKnownTargets(db, routes)).includes(name)) throw noSuchTarget(name);
}

function noSuchTarget(name: string): NotFoundError {
  return new NotFoundError(`No route has the target ${name.slice(0, 200)}.`);
}
