import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { StoredMessage } from '../message/restore-body.ts';
import {
  described,
  integer,
  integerOrNull,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../response-values.ts';
import { appendBody } from './list-events.ts';

/** A capture of an event after the first, as `list-captures.sql` writes it. */
export const CaptureSchema = v.strictObject({
  id: text,
  capturedAt: time,
  failure: described(integer, 'Which failure of the event it tells, from 1.'),
  isFirst: described(v.boolean(), 'Whether it told that failure first.'),
  kind: described(
    v.picklist(['report', 'message', 'original']),
    'report: its consumer said so. message: the message came again. original: what the event was captured with, before this time.',
  ),
  consumer: textOrNull,
  deliveryId: described(textOrNull, 'The id of this arrival, by which a repetition is recognized.'),
  attempt: described(integerOrNull, 'The delivery that failed, as `dlo-attempt` numbers them.'),
  publication: described(
    textOrNull,
    'The publication that failed: its time in ms since 1970, @, and its position at the broker; either may be empty.',
  ),
  failedAt: timeOrNull,
  facts: described(
    v.nullable(object),
    'All that it said, by the names of columns of `dlq_events`. Null if the captures before it fill 1 MiB.',
  ),
  bodyBase64: described(textOrNull, 'Its bytes, if they are not those of the event. Null where `facts` is.'),
});

const listRows = statement<
  { eventId: string; maxBytes: number },
  StoredMessage & { readonly json: string; readonly hasBody: boolean }
>('list-captures');

/** Lists the captures of an event after the first, in order of the failures that they tell, as JSON text. */
export async function listCaptures(db: Database, eventId: string, maxBytes: number): Promise<string[]> {
  const rows = await listRows(db, { eventId, maxBytes });
  return rows.map(({ json, hasBody, ...message }) => appendBody(json, hasBody ? message : null));
}
