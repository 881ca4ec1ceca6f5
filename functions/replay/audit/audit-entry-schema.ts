import { textOrNull, time } from '../api/schema-parts.ts';

/** How the OpenAPI document describes an act of a person. */
export const auditEntrySchema = {
  type: 'object',
  required: ['id', 'at', 'actor', 'act', 'reason', 'runId', 'eventId', 'details', 'outcome', 'endedAt'],
  properties: {
    id: { type: 'string' },
    at: time,
    actor: { type: 'string', description: 'Who: an address, or what else was proven.' },
    act: { type: 'string' },
    reason: textOrNull,
    runId: textOrNull,
    eventId: { ...textOrNull, description: 'The event, where it was about this one alone.' },
    details: { type: 'object', description: 'What was asked for, such as the filter.' },
    outcome: { type: ['object', 'null'], description: 'What came of it, where that was not clear at once.' },
    endedAt: { ...time, type: ['string', 'null'] },
  },
  additionalProperties: false,
};
