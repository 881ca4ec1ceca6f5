import { isUtf8 } from 'node:buffer';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { toStorableText } from '../database/storable-text.ts';
import type { Message } from '../delivery/leased-event.ts';
import { applyPatch, type Operation, readPatch } from '../json/apply-patch.ts';
import { PatchError } from '../json/json-nodes.ts';
import { restoreBody, type StoredMessage } from '../message/printed-message.ts';
import type { Run } from './run.ts';
import { skipRunEvents } from './skip-reasons.ts';

type Unedited = StoredMessage & { readonly id: string; readonly position: number };

const listUnedited = statement<{ runId: string; after: number; max: number; maxBytes: number }, Unedited>(
  'list-unedited',
);

const editRunEvents = statement<
  { runId: string; after: number; upTo: number; ids: readonly string[]; bodies: readonly Buffer[] },
  never
>('edit-run-events');

/** Events and bytes that one statement edits. */
const maxEvents = 1000;
const maxBytes = 4 * 2 ** 20;

/**
 * Edits the next events of a run with a patch, each by a new event in its place. An event that the patch does
 * not fit is skipped, and one that it does not change is sent as it is. Any number of workers may do so at a
 * time, and each may die at any point.
 */
export async function editRun(db: Database, run: Run & { readonly patch: string }): Promise<void> {
  const { id: runId, editedTo: after } = run;
  const operations = readPatch(run.patch);
  const events = await listUnedited(db, { runId, after, max: maxEvents, maxBytes });
  const patched = events.flatMap(({ id, ...message }) => {
    if (message.payloadEncoding === null) return [];
    const body = restoreBody(message);
    const result = patchEvent({ ...message, body }, operations);
    return 'reason' in result || !result.body.equals(body) ? [{ id, ...result }] : [];
  });
  const misfits = patched.flatMap((event) =>
    'reason' in event ? [{ id: event.id, reason: 'patch', detail: toStorableText(event.reason, 500) }] : [],
  );
  const edits = patched.flatMap((event) => ('body' in event ? [event] : []));
  if (misfits.length > 0) await skipRunEvents(db, { runId, skipped: misfits });
  const upTo = events.at(-1)?.position ?? Math.min(after + maxEvents, run.selected);
  const params = { ids: edits.map(({ id }) => id), bodies: edits.map(({ body }) => body) };
  await editRunEvents(db, { runId, after, upTo, ...params });
}

/** Applies a patch to a copy of an event's body. Returns the body, or why the patch does not apply. */
export function patchEvent(
  { body, payloadEncoding }: Pick<Message, 'body' | 'payloadEncoding'>,
  patch: readonly Operation[],
): { readonly body: Buffer } | { readonly reason: string } {
  if (payloadEncoding !== 'json' || !isUtf8(body)) return { reason: 'Its payload is not JSON in UTF-8.' };
  try {
    return { body: Buffer.from(applyPatch(body.toString(), patch)) };
  } catch (error) {
    if (error instanceof PatchError) return { reason: error.message };
    throw error;
  }
}
