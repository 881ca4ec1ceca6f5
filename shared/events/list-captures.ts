import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import {
  count,
  described,
  integer,
  integerOrNull,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './response-values.ts';

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
  bodyBase64: described(textOrNull, 'Its bytes, if they are not those of the event. Null as `facts` is.'),
  bodyBytes: v.nullable(count),
});

/** Lists the captures of an event after the first, in order of the failures that they tell. */
export const listCaptures = statement<{ eventId: string; maxBytes: number }, { readonly json: string }>(
  'list-captures',
  import.meta.url,
);
