import type { Breakers } from '../delivery/breakers.ts';
import { listTargetNames, type Route } from '../delivery/routes.ts';
import { NotFoundError } from '../errors.ts';

/** The same with targets that are held and that no route has any more. */
export function listKnownTargets(routes: readonly Route[], breakers: Breakers): string[] {
  const held = [...breakers.values()].filter(({ heldAt }) => heldAt !== null);
  return [...new Set([...listTargetNames(routes), ...held.map(({ target }) => target)])];
}

/** Throws NotFoundError unless a target is one of some. */
export function assertTarget(known: readonly string[], name: string): void {
  if (!known.includes(name)) throw new NotFoundError(`No route has the target ${name.slice(0, 200)}.`);
}
