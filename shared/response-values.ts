import * as v from 'valibot';

// Values that the responses of the API consist of. Rows have dates; JSON has them as text (RFC 3339).

export const text = v.string();
export const textOrNull = v.nullable(v.string());
export const time = v.date();
export const timeOrNull = v.nullable(v.date());
export const integer = v.pipe(v.number(), v.integer());
export const integerOrNull = v.nullable(integer);
export const count = v.pipe(integer, v.minValue(0));
export const object = v.pipe(
  v.custom<object>((value) => typeof value === 'object' && value !== null),
  v.metadata({ type: 'object' }),
);

/** A list that may be read-only. */
export const listOf = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.readonly());

/** A value with its description in the OpenAPI document. */
export function described<const Schema extends v.GenericSchema>(schema: Schema, description: string) {
  return v.pipe(schema, v.description(description));
}
