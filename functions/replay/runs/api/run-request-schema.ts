import type { Description } from '../../api/resource.ts';

const text = (maxLength: number, description: string) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});
const integer = (minimum: number, maximum: number, more: Description = {}) => ({
  type: 'integer',
  minimum,
  maximum,
  ...more,
});
const bytes = {
  type: 'object',
  required: ['base64'],
  properties: { base64: { type: 'string' } },
  additionalProperties: false,
};
const textOrBytes = { oneOf: [{ type: 'string' }, bytes] };
const pointer = { type: 'string', pattern: '^(/([^~/]|~[01])*)*$' };

const operation = (op: readonly string[], properties: Description, ...required: string[]) => ({
  type: 'object',
  required: ['op', 'path', ...required],
  properties: { op: { enum: op }, path: pointer, ...properties },
  additionalProperties: false,
});

/** How the OpenAPI document describes what `POST /runs` takes. */
export const runRequestSchema: Description = {
  type: 'object',
  required: ['filter'],
  properties: {
    filter: { $ref: '#/components/schemas/Filter', minProperties: 1 },
    reason: text(1000, 'Why; required unless it is a dry run. The audit keeps it.'),
    dryRun: {
      type: 'boolean',
      default: false,
      description: 'Tell what would come of it, and change nothing.',
    },
    samples: integer(0, 20, { default: 5, description: 'How many events a dry run shows.' }),
    includeSucceeded: { type: 'boolean', default: false },
    includeDiscarded: { type: 'boolean', default: false },
    target: text(2000, 'The URL or topic of a configured route, where all of them are sent.'),
    patch: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'A JSON Patch (RFC 6902) that each payload is sent with. The events keep their own.',
      items: {
        oneOf: [
          operation(['add', 'replace', 'test'], { value: {} }, 'value'),
          operation(['remove'], {}),
          operation(['move', 'copy'], { from: pointer }, 'from'),
        ],
      },
    },
    edit: {
      type: 'object',
      minProperties: 1,
      description: 'What one event is sent with in place of its own; the filter names its id.',
      properties: {
        body: textOrBytes,
        headers: {
          type: 'object',
          additionalProperties: {
            oneOf: [...textOrBytes.oneOf, { type: 'array', minItems: 1, items: textOrBytes }],
          },
        },
      },
      additionalProperties: false,
    },
    ramp: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: integer(1, 1_000_000),
      examples: [[1, 5, 20, 100]],
    },
    canary: integer(1, 1_000_000, { description: 'After so many deliveries the run waits for a person.' }),
    ratePerSecond: { type: 'number', minimum: 0.000_01, maximum: 100_000 },
    gate: {
      description: 'Pauses the run where a larger share of its last deliveries failed; false: never.',
      oneOf: [
        { const: false },
        {
          type: 'object',
          properties: {
            window: integer(1, 1000, { default: 50 }),
            maxFailureRatio: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
          },
          additionalProperties: false,
        },
      ],
    },
    watchSeconds: integer(1, 31_536_000, {
      default: 86_400,
      description: 'How long an event is watched for.',
    }),
    idempotencyKey: text(255, 'The same as the header Idempotency-Key.'),
  },
  additionalProperties: false,
};
