import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import { described, object, text, textOrNull, time, timeOrNull } from './response-values.ts';

/** An action of an operator. */
export const AuditEntrySchema = v.strictObject({
  id: text,
  at: time,
  actor: described(text, 'Who: an email address, or another authenticated name.'),
  action: text,
  reason: textOrNull,
  runId: textOrNull,
  eventId: described(textOrNull, 'The event, if the action is on this one alone.'),
  details: described(object, 'The request, such as its filter.'),
  outcome: described(
    v.nullable(object),
    'The result of an action that takes time; null before it ends, and for other actions.',
  ),
  endedAt: timeOrNull,
});

export type AuditEntry = Readonly<v.InferOutput<typeof AuditEntrySchema>>;

/** Actions from the newest on, those with an id below `before`: on one event, by one run, or, with both null, all. */
export const listAudit = statement<
  { eventId: string | null; runId: string | null; before: string; max: number },
  AuditEntry
>('list-audit', import.meta.url);
