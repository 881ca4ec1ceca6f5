import * as v from 'valibot';
import {
  count,
  described,
  object,
  Status,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../../../shared/events/response-values.ts';
import { outcomes, verdicts } from '../../../shared/replay/list-run-events.ts';

/** The progress of a run. */
export const ProgressSchema = v.strictObject({
  selected: count,
  delivered: count,
  failed: count,
  skipped: count,
  waiting: described(count, 'At all times selected = delivered + failed + skipped + waiting.'),
  inFlight: described(count, 'The waiting events that are being delivered.'),
});

const run = {
  id: text,
  state: v.picklist(['running', 'paused', 'ended']),
  createdAt: time,
  endedAt: timeOrNull,
  stopped: described(textOrNull, 'Why it ended: `all done`, `cancelled` or `nothing to replay`.'),
  pausedBecause: textOrNull,
  requestedBy: text,
  reason: textOrNull,
  request: described(object, 'The filter of the run, what it includes, and its target.'),
  progress: ProgressSchema,
};

const counts = v.record(v.string(), count);

/** A run in a list. */
export const RunSchema = v.strictObject(run);

/** A run in full. */
export const RunDetailSchema = v.strictObject({
  ...run,
  selectionHash: described(text, 'SHA-256 of the selected ids in order, separated by commas.'),
  excluded: described(counts, 'Events that matched and were not selected, by reason.'),
  rollout: described(object, 'Ramp, canary, rate and gate.'),
  patch: described(v.nullable(v.array(v.unknown())), 'The JSON Patch that applies to every event.'),
  idempotencyKey: textOrNull,
  ratePerSecond: described(
    v.nullable(v.number()),
    'Deliveries per second since it began or was last resumed.',
  ),
  doneAt: described(timeOrNull, 'The expected end at this rate.'),
  failedBecause: described(
    counts,
    'Failed events by kind of outcome; an event has the response of its target.',
  ),
  skippedBecause: v.array(v.strictObject({ reason: textOrNull, events: count, meaning: text })),
  verified: described(
    v.strictObject({ recurred: count, quiet: count, delivered: count, watchSeconds: count }),
    'Delivered events that failed at their consumer again, that did not for watchSeconds, and all others.',
  ),
});

/** The state of one event in a run. */
export const RunEventSchema = v.strictObject({
  id: text,
  eventType: described(textOrNull, 'Null, like the status, if the event was archived or deleted.'),
  status: v.nullable(Status),
  outcome: v.picklist(outcomes),
  inFlight: v.boolean(),
  settledAt: timeOrNull,
  reason: described(textOrNull, 'Why it failed or was skipped, as a code.'),
  explanation: described(textOrNull, 'The same as a sentence.'),
  verdict: described(v.nullable(v.picklist(verdicts)), 'Whether a delivered event was captured again.'),
  sentDigest: described(textOrNull, 'SHA-256 of the body, if an edited one was sent.'),
});
