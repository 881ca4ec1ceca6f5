import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Description } from './operation.ts';

type Components = Readonly<Record<string, v.GenericSchema>>;

/** The members of valibot schemas that the conversion looks at; each kind of schema has some of them. */
type Members = v.GenericSchema & {
  readonly wrapped?: v.GenericSchema;
  readonly default?: unknown;
  readonly getter?: (input: unknown) => v.GenericSchema;
};

/** Describes in JSON Schema 2020-12 what each of `components` accepts. Throws for what JSON Schema cannot express. */
export function describeComponents(components: Components): Description {
  const described = toJsonSchemaDefs({ ...components }, config);
  // The conversion adds each lazy schema under a number.
  return Object.fromEntries(Object.keys(components).map((name) => [name, described[name]]));
}

/** Describes what a schema accepts. Each of `components` in it becomes a reference to `#/components/schemas/<name>`. */
export function describeSchema(schema: v.GenericSchema, components: Components = {}): Description {
  const converted = toJsonSchema(schema, { ...config, definitions: { ...components } });
  const { $schema: _, $defs: __, ...described } = converted;
  return described;
}

const overrides: Readonly<Record<string, (schema: Members, described: Description) => Description>> = {
  date: () => ({ type: 'string', format: 'date-time' }),
  // Its metadata says the rest.
  custom: () => ({}),
  // The getters in this code return one schema for a list and another for a single value.
  lazy: ({ getter = v.unknown }) => ({
    anyOf: [describeSchema(getter(undefined)), describeSchema(getter([]))],
  }),
  optional: describeOptional,
  exact_optional: describeOptional,
};

/** Adds the description behind a transformation, and the default as it is after it. */
function describeOptional(schema: Members, described: Description): Description {
  const { wrapped = v.unknown(), default: byDefault } = schema;
  const description = v.getDescription(wrapped);
  return {
    ...described,
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: v.parse(wrapped, byDefault) }),
  };
}

const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // JSON Schema has no keyword for them.
  ignoreActions: ['check', 'raw_check', 'readonly', 'to_upper_case', 'trim'],
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    overrides[valibotSchema.type]?.(valibotSchema, { ...jsonSchema }),
};
