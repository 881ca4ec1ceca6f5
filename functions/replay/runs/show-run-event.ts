import type { HeaderValue, LeasedEvent } from '../../../shared/events.ts';
import { findRoute, type Origin } from '../../../shared/routes.ts';
import { statement } from '../../../shared/sql.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { listRunEvents, type RunEventView } from './list-run-events.ts';
import type { Run } from './run.ts';
import { type ShownChange, showChange } from './show-change.ts';

type Original = Origin &
  Pick<LeasedEvent, 'body' | 'payload_text' | 'payload_encoding' | 'headers'> & {
    readonly edited_body: Buffer | null;
    readonly edited_headers: Readonly<Record<string, HeaderValue>> | null;
  };

const findOriginal = statement<{ runId: string; eventId: string }, Original>('find-run-original');

/**
 * One event of a run, with what was sent in place of the original where it was edited, and without what its route hides.
 * Undefined where it is not part of the run.
 */
export async function showRunEvent(
  { db, routes }: Pick<ReplayDeps, 'db' | 'routes'>,
  { id: runId, patch }: Pick<Run, 'id' | 'patch'>,
  eventId: string,
): Promise<(RunEventView & ShownChange) | undefined> {
  const after = String(BigInt(eventId) - 1n);
  const [event] = await listRunEvents(db, { runId, after, limit: 1 });
  if (event?.id !== eventId) return undefined;
  const [original] = await findOriginal(db, { runId, eventId });
  if (!original) return event;
  const { edited_body, edited_headers } = original;
  const isEdited = edited_body !== null || edited_headers !== null;
  const edit = {
    ...(edited_body && { body: edited_body }),
    ...(edited_headers && { headers: edited_headers }),
  };
  const mask = findRoute(routes, original)?.mask;
  return { ...event, ...showChange(original, { patch, edit: isEdited ? edit : undefined, mask }) };
}
