import type { Breakers } from '../delivery/breakers.ts';
import { listTargetNames, type Route } from '../delivery/routes.ts';
import { NotFoundError } from '../errors.ts';

/** The targets of all routes, and those that are held without one. */
export function listKnownTargets(routes: readonly Route[], breakers: Breakers): string[] {
  const held = [...breakers.values()].filter(({ heldAt }) => heldAt !== null);
  return [...new Set([...listTargetNames(routes), ...held.map(({ target }) => target)])];
}

export function assertTarget(known: readonly string[], name: string): void {
  if (!known.includes(name)) throw new NotFoundError(`No route has the target ${name.slice(0, 200)}.`);
}
