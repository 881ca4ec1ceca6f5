import type { Database } from '../../../shared/database.ts';
import type { HeaderValue, LeasedEvent } from '../../../shared/events.ts';
import { statement } from '../../../shared/sql.ts';
import { listRunEvents, type RunEventView } from './list-run-events.ts';
import type { Run } from './run.ts';
import { type ShownChange, showChange } from './show-change.ts';

type Original = Pick<LeasedEvent, 'body' | 'payload_text' | 'payload_encoding' | 'headers'> & {
  readonly edited_body: Buffer | null;
  readonly edited_headers: Readonly<Record<string, HeaderValue>> | null;
};

const findOriginal = statement<{ runId: string; eventId: string }, Original>('find-run-original');

/** One event of a run, with what was sent in place of the original where it was edited. Undefined where it is not part of it. */
export async function showRunEvent(
  db: Database,
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
  return { ...event, ...showChange(original, { patch, edit: isEdited ? edit : undefined }) };
}
