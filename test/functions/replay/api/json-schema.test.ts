import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { openJsonSchema } from '../../../../functions/replay/api/json-schema.ts';

describe('the JSON Schema of a request', () => {
  const Id = v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number), v.description('An id.'));
  const schemaOf = openJsonSchema({ Id });

  it('describes the input of a schema that transforms it', () => {
    assert.deepEqual(schemaOf(Id, true), {
      type: 'string',
      pattern: String.raw`^\d+$`,
      description: 'An id.',
    });
  });

  it('refers to a component, also where a pipe adds to it', () => {
    const $ref = '#/components/schemas/Id';
    assert.deepEqual(
      schemaOf(v.strictObject({ id: Id, of: v.optional(v.pipe(Id, v.description('Another.'))) })),
      {
        type: 'object',
        required: ['id'],
        properties: { id: { $ref }, of: { $ref, description: 'Another.' } },
        additionalProperties: false,
      },
    );
  });

  it('skips a guard before a schema, and has both choices of a lazy one', () => {
    const guarded = v.pipe(
      v.custom<object>(() => true),
      v.strictObject({}),
    );
    const lists = v.lazy((input) => (Array.isArray(input) ? v.array(v.string()) : guarded));
    assert.deepEqual(schemaOf(lists), {
      anyOf: [schemaOf(v.strictObject({})), { type: 'array', items: { type: 'string' } }],
    });
  });

  it('does not exist for a schema that JSON Schema cannot express', () => {
    assert.throws(() => schemaOf(v.strictObject({ big: v.bigint() })), /"bigint" schema cannot be converted/);
  });
});
