import { statement } from '../database/statement.ts';
import { listTargetNames } from '../delivery/routes.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';
import { rampOf } from './change-hold.ts';

type Deps = Pick<ReplayDeps, 'db' | 'routes'>;

type Stop = {
  readonly actor: string;
  readonly reason: string;
  /** When the holds end, in ISO 8601; else with the undo. */
  readonly until?: string | null | undefined;
};

const stop = statement<
  { targets: readonly string[]; actor: string; reason: string; until: string | null },
  { readonly id: string }
>('stop', import.meta.url);

const undoStopped = statement<
  { auditId: string; ramps: string; actor: string; reason: string },
  { readonly undoId: string | null }
>('undo-stop', import.meta.url);

/** The stop that holds a target now; no row if there is none. */
export const findStop = statement<
  Record<string, never>,
  { readonly id: string; readonly at: Date; readonly actor: string; readonly reason: string }
>('find-stop', import.meta.url);

/**
 * Stops the schedule and all replays: holds every target that a route has, and pauses every run. Deliveries
 * in flight end. Returns the entry of the audit, whose undo starts them again.
 */
export async function stopEverything(
  { db, routes }: Deps,
  { actor, reason, until = null }: Stop,
): Promise<{ readonly auditId: string }> {
  const [entry] = await stop(db, { targets: listTargetNames(routes), actor, reason, until });
  if (!entry) throw new Error('The audit entry of a stop was not returned.');
  return { auditId: entry.id };
}

/** Starts what a stop holds still. Returns the entry of the audit; null if the stop was over. */
export async function undoStop(
  { db, routes }: Deps,
  undo: {
    readonly auditId: string;
    readonly actor: string;
    readonly reason: string;
  },
) {
  const ramps = listTargetNames(routes).map((name) => [name, rampOf(routes, name)]);
  const [undone] = await undoStopped(db, { ...undo, ramps: JSON.stringify(Object.fromEntries(ramps)) });
  return undone?.undoId ?? null;
}
