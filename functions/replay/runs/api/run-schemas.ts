import type { Description } from '../../api/resource.ts';
import { count, object, text, textOrNull, time, timeOrNull } from '../../api/schema-parts.ts';
import { outcomes, verdicts } from '../list-run-events.ts';

const progress = object({
  selected: count,
  delivered: count,
  failed: count,
  skipped: count,
  waiting: { ...count, description: 'selected = delivered + failed + skipped + waiting, at all times.' },
  inFlight: { ...count, description: 'Of those that wait: they are being delivered.' },
});

const run = {
  id: text,
  state: { enum: ['running', 'paused', 'ended'] },
  createdAt: time,
  endedAt: timeOrNull,
  stopped: { enum: ['all done', 'cancelled', 'nothing to replay', null] },
  pausedBecause: textOrNull,
  requestedBy: text,
  reason: textOrNull,
  request: { type: 'object', description: 'Which events were asked for, and where they were sent.' },
  progress: { $ref: '#/components/schemas/Progress' },
};

const counts = { type: 'object', additionalProperties: count };

const detail = {
  ...run,
  selectionHash: { ...text, description: 'SHA-256 of the selected ids in order, with commas between them.' },
  leftOut: { ...counts, description: 'What matched and was not selected, by reason.' },
  pace: { type: 'object', description: 'Ramp, canary, rate and gate.' },
  patch: { type: ['array', 'null'], description: 'The JSON Patch that every event is sent with.' },
  idempotencyKey: textOrNull,
  ratePerSecond: { type: ['number', 'null'], description: 'Since it began or was last resumed.' },
  doneAt: { ...timeOrNull, description: 'If it goes on like that.' },
  failedBecause: { ...counts, description: 'By kind of outcome; what a target said is told by the event.' },
  skippedBecause: {
    type: 'array',
    items: object({ reason: text, events: count, meaning: text }),
  },
  verified: {
    ...object({ cameBack: count, quiet: count, delivered: count, watchSeconds: count }),
    description:
      'Of those that were delivered: failed at their consumer again, not seen again for watchSeconds, not known yet.',
  },
};

/** How the OpenAPI document describes a run. */
export const runSchemas: Description = {
  Progress: progress,
  Run: object(run),
  RunDetail: object(detail),
};

/** How it describes what became of one event of a run. */
export const runEventSchema = object({
  id: text,
  eventType: { ...textOrNull, description: 'Null where the event is not there any more, as is its status.' },
  status: { oneOf: [{ $ref: '#/components/schemas/Status' }, { type: 'null' }] },
  outcome: { enum: outcomes },
  inFlight: { type: 'boolean' },
  settledAt: timeOrNull,
  reason: { ...textOrNull, description: 'Why it failed or was skipped, in a word.' },
  explanation: { ...textOrNull, description: 'The same in a sentence.' },
  verdict: { enum: [...verdicts, null], description: 'Of a delivered event: whether it was seen again.' },
  sentDigest: { ...textOrNull, description: 'SHA-256 of the body, where an edited one was sent.' },
});
