import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { describeComponents, describeSchema } from '../../../../functions/replay/api/describe-api.ts';

describe('the JSON Schema of a request', () => {
  const Id = v.pipe(v.string(), v.regex(/^\d+$/), v.description('An id.'), v.transform(Number));
  const described = { type: 'string', pattern: String.raw`^\d+$`, description: 'An id.' };
  const schemaOf = (schema: v.GenericSchema) => describeSchema(schema, { Id });

  it('describes the input of a schema that transforms it', () => {
    assert.deepEqual(describeComponents({ Id }), { Id: described });
  });

  it('refers to a component', () => {
    assert.deepEqual(schemaOf(v.strictObject({ id: Id })), {
      type: 'object',
      required: ['id'],
      properties: { id: { $ref: '#/components/schemas/Id' } },
      additionalProperties: false,
    });
  });

  it('has the default of a member after its transformation, and the description behind it', () => {
    const member = v.optional(v.pipe(Id, v.description('Another.')), '7');
    const { properties } = schemaOf(v.strictObject({ member }));
    assert.deepEqual(properties, { member: { ...described, description: 'Another.', default: 7 } });
  });

  it('has both choices of a lazy schema', () => {
    const lists = v.lazy((input) => (Array.isArray(input) ? v.array(v.string()) : v.strictObject({})));
    assert.deepEqual(schemaOf(lists), {
      anyOf: [schemaOf(v.strictObject({})), { type: 'array', items: { type: 'string' } }],
    });
  });

  it('does not exist for a schema that JSON Schema cannot express', () => {
    assert.throws(() => schemaOf(v.strictObject({ big: v.bigint() })), /"bigint" schema cannot be converted/);
  });
});
