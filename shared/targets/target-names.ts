import type { Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { NotFoundError } from '../errors.ts';

/** The names of all targets, each once, in the order of their routes. */
export function listTargetNames(routes: readonly Route[]): string[] {
  return [...new Set(routes.map(({ target }) => nameTarget(target)))];
}

/** Throws NotFoundError unless a route has the target. */
export function assertTarget(routes: readonly Route[], name: string): void {
  if (listTargetNames(routes).includes(name)) return;
  throw new NotFoundError(`No route has the target ${name.slice(0, 200)}.`);
}
