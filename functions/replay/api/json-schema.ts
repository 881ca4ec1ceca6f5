import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Description } from './operation.ts';

type Pipe = readonly [v.GenericSchema, ...{ readonly kind: string; readonly type: string }[]];

/** The members of valibot schemas that the conversion looks at; each kind of schema has some of them. */
type Members = v.GenericSchema & {
  readonly pipe?: Pipe;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly item?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  readonly default?: unknown;
  readonly getter?: (input: unknown) => v.GenericSchema;
};

/** Checks and transformations that JSON Schema has no keyword for; `transform` ends a description by itself. */
const ignoreActions = ['check', 'raw_check', 'readonly', 'to_upper_case', 'trim'];

/**
 * Returns a function that describes in JSON Schema 2020-12 what a valibot schema accepts. A schema of `components`, or a
 * pipe that begins with one, becomes a reference to `#/components/schemas/<name>`; `isRoot` describes the component
 * itself. The function throws for a schema that JSON Schema cannot express: describe that one by `v.metadata`.
 */
export function openJsonSchema(components: Readonly<Record<string, v.GenericSchema>>) {
  const names = new Map(Object.entries(components).map(([name, schema]) => [schema, name]));

  const describe = (schema: Members, isRoot = false): Description => {
    const name = isRoot ? undefined : names.get(schema);
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    if (schema.pipe) return describePipe(schema, schema.pipe);
    return convert(schema);
  };

  /** Also covers what toJsonSchema omits: components in pipes, guards before a schema, text after a transformation. */
  const describePipe = (schema: v.GenericSchema, [first, ...items]: Pipe): Description => {
    const [second, ...others] = items;
    if (first.type === 'custom' && second?.kind === 'schema')
      return describePipe(schema, [second as v.GenericSchema, ...others]);
    const description = v.getDescription(schema);
    const text = description === undefined ? {} : { description };
    if (names.has(first)) return { ...describe(first), ...convert(withPipe(v.unknown(), items)), ...text };
    const { pipe } = first as Members;
    if (pipe) return describePipe(schema, [...pipe, ...items]);
    return { ...convert(withPipe(first, items)), ...text };
  };

  const convert = (schema: v.GenericSchema): Description => {
    const { $schema: _, $defs: __, ...described } = toJsonSchema(schema, config);
    return described;
  };

  const overrides: Readonly<Record<string, (schema: Members) => Description>> = {
    strict_object: ({ entries = {} }) => ({
      type: 'object',
      required: Object.keys(entries).filter((key) => !/optional/.test(entries[key]?.type ?? '')),
      properties: Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, describe(entry)])),
      additionalProperties: false,
    }),
    array: ({ item = v.unknown() }) => ({ type: 'array', items: describe(item) }),
    nullable: ({ wrapped = v.unknown() }) => ({ anyOf: [describe(wrapped), { type: 'null' }] }),
    optional: describeOptional,
    exact_optional: describeOptional,
    // The getters in this code return one schema for a list and another for a single value.
    lazy: ({ getter = v.unknown }) => ({ anyOf: [describe(getter(undefined)), describe(getter([]))] }),
    date: () => ({ type: 'string', format: 'date-time' }),
    // A guard without a schema behind it; its metadata says the rest.
    custom: () => ({}),
  };

  function describeOptional({ wrapped = v.unknown(), default: byDefault }: Members): Description {
    return { ...(byDefault !== undefined && { default: byDefault }), ...describe(wrapped) };
  }

  const config: ConversionConfig = {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions,
    overrideSchema: ({ valibotSchema }) => overrides[valibotSchema.type]?.(valibotSchema),
  };
  return describe;
}

function withPipe(schema: v.GenericSchema, items: readonly unknown[]): v.GenericSchema {
  return items.length === 0 ? schema : Object.assign({ ...schema }, { pipe: [schema, ...items] });
}
