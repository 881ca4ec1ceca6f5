import { statement } from '../database/statement.ts';
import type { Origin } from '../events/event.ts';
import { findMask } from '../events/masking/mask-rules.ts';
import { listRunEvents, type RunEventView } from './list-run-events.ts';
import type { ReplayDeps } from './replay-deps.ts';
import type { Run } from './run.ts';
import { type Original, type ShownChange, showChange } from './show-change.ts';

type Edited = {
  readonly editedBody: Buffer | null;
  readonly editedHeaders: Original['headers'] | null;
};

const findOriginal = statement<{ runId: string; eventId: string }, Origin & Original & Edited>(
  'find-run-original',
  import.meta.url,
);

/**
 * Returns one event of a run, with the message before and after an edit, and with the fields hidden that its
 * route masks, unless the caller has unmasked it. Undefined if the event is not part of the run.
 */
export async function showRunEvent(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>,
  { id: runId, patch }: Pick<Run, 'id' | 'patch'>,
  { eventId, isUnmasked = false }: { readonly eventId: string; readonly isUnmasked?: boolean },
): Promise<(RunEventView & ShownChange) | undefined> {
  const after = String(BigInt(eventId) - 1n);
  const [event] = await listRunEvents(deps, { runId, after, limit: 1 });
  if (event?.id !== eventId) return undefined;
  const [original] = await findOriginal(deps.db, { runId, eventId });
  if (!original) return event;
  const { editedBody: body, editedHeaders: headers } = original;
  const edit = body || headers ? { body: body ?? undefined, headers: headers ?? undefined } : undefined;
  const mask = isUnmasked ? [] : findMask(deps, original);
  return { ...event, ...showChange(original, { patch, edit, mask }) };
}
