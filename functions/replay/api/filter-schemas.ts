import type { Filter } from '../../../shared/filter/filter-schema.ts';
import type { Description } from './resource.ts';

const oneOrMore = (items: Description, maxItems: number) => ({
  oneOf: [items, { type: 'array', items, minItems: 1, maxItems }],
});
const text = { type: 'string', minLength: 1, maxLength: 1000 };
const texts = oneOrMore(text, 1000);
const globs = { ...oneOrMore(text, 100), description: '`*` stands for any run of characters.' };
const time = { $ref: '#/components/schemas/FilterTime' };
const range = (minimum: number, maximum: number) => {
  const bound = { type: 'integer', minimum, maximum };
  return {
    type: 'object',
    properties: { min: bound, max: bound },
    minProperties: 1,
    additionalProperties: false,
  };
};
const largestInteger = 2_147_483_647;

const properties = {
  ids: oneOrMore({ $ref: '#/components/schemas/EventId' }, 10_000),
  eventType: globs,
  status: oneOrMore({ $ref: '#/components/schemas/Status' }, 5),
  errorText: { ...text, description: 'The error contains it, in upper or lower case.' },
  errorClass: globs,
  fingerprint: texts,
  sourceKind: globs,
  sourceTopic: globs,
  sourceSubscription: globs,
  consumerGroup: globs,
  key: texts,
  eventId: texts,
  traceId: texts,
  capturedAfter: time,
  capturedBefore: time,
  failedAfter: time,
  failedBefore: time,
  occurredAfter: time,
  occurredBefore: time,
  retryCount: range(0, largestInteger),
  failureCount: range(1, largestInteger),
  priority: range(-32_768, 32_767),
  payload: { description: 'Any JSON that the payload contains.' },
  headers: { type: 'object', description: 'JSON that the headers contain.' },
} satisfies Readonly<Record<keyof Filter, Description>>;

/** What every resource may refer to: a filter, and what it is made of. */
export const filterSchemas: Description = {
  Filter: {
    type: 'object',
    description: 'Which events are meant: every condition must hold, of a list one value has to.',
    properties,
    additionalProperties: false,
    examples: [{ eventType: 'order.*', status: 'FAILED_PERMANENTLY', failedAfter: '24h' }],
  },
  FilterTime: {
    type: 'string',
    description: 'ISO 8601 with its zone, a day, or how long ago: a number of s, m (minutes), h, d or w.',
    examples: ['2025-11-01T10:00:00Z', '2025-11-01', '24h'],
  },
  EventId: {
    oneOf: [
      { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
      { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    ],
  },
  Status: { enum: ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] },
};
