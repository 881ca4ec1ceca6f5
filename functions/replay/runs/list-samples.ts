import type { Database } from '../../../shared/database.ts';
import type { HeaderValue, LeasedEvent, Status } from '../../../shared/events.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';
import { patchEvent } from './patch/patch-event.ts';
import { readPatch } from './patch/read-patch.ts';
import type { RunRequest } from './run-request.ts';

type Sampled = Pick<
  LeasedEvent,
  'id' | 'event_type' | 'body' | 'payload_text' | 'payload_encoding' | 'headers'
> & {
  readonly status: Status;
  readonly created_at: Date;
  readonly error_reason: string;
};

const sampleSelection = filteredStatement<
  { lanes: readonly string[]; includeSucceeded: boolean; includeDiscarded: boolean; limit: number },
  Sampled
>('sample-selection');

/** A message as text where it is text, else as base64. */
type Shown = {
  readonly body: string | { readonly base64: string };
  readonly headers: Readonly<Record<string, HeaderValue>>;
};

/** An event that would be delivered. What is edited is shown before and after, or why the patch does not fit it. */
export type Sample = {
  readonly id: string;
  readonly eventType: string;
  readonly status: Status;
  readonly capturedAt: Date;
  readonly errorReason: string;
  readonly before?: Shown;
  readonly after?: Shown;
  readonly skipped?: { readonly reason: 'patch'; readonly detail: string };
};

/** The first events of a choice. */
export async function listSamples(
  db: Database,
  request: RunRequest,
  lanes: readonly string[],
): Promise<Sample[]> {
  const { filter, includeSucceeded, includeDiscarded, samples: limit } = request;
  const rows = await sampleSelection(db, filter, { lanes, includeSucceeded, includeDiscarded, limit });
  return rows.map((row) => ({
    id: row.id,
    eventType: row.event_type,
    status: row.status,
    capturedAt: row.created_at,
    errorReason: row.error_reason,
    ...showChange(row, request),
  }));
}

function showChange(row: Sampled, { patch, edit }: RunRequest): Partial<Sample> {
  if (patch === undefined && !edit) return {};
  const body = row.body ?? Buffer.from(row.payload_text ?? '');
  const before = { body: showBody(body), headers: row.headers };
  if (edit)
    return { before, after: { body: showBody(edit.body ?? body), headers: edit.headers ?? row.headers } };
  const patched = patchEvent(row, readPatch(patch ?? '[]'));
  if ('reason' in patched) return { before, skipped: { reason: 'patch', detail: patched.reason } };
  return { before, after: { ...before, body: showBody(patched.body) } };
}

function showBody(body: Buffer): Shown['body'] {
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body) ? text : { base64: body.toString('base64') };
}
