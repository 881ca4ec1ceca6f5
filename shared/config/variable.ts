import * as v from 'valibot';

/** The text form of variables, as a process environment holds them. */
export type Texts<Entries> = { readonly [Name in keyof Entries]?: string };

/** Documents a variable: `description` is one sentence, `allowed` the accepted values, `default` the value in effect when it is not set. */
export type Documentation = {
  readonly default?: string;
  readonly allowed: string;
  readonly description: string;
};

export type NumberDefinition = {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly description: string;
};

/** A variable whose text `schema` parses. */
export const variable = <const Schema extends v.GenericSchema>(
  documentation: Documentation,
  schema: Schema,
) => v.pipe(schema, v.metadata({ documentation }));

/** A variable that holds a whole number from `min` to `max`. */
export const wholeNumber = ({ default: fallback, min, max, description }: NumberDefinition) => {
  const remedy = `Use a whole number from ${min} to ${max}.`;
  const documentation: Documentation = {
    default: String(fallback),
    allowed: `${min} to ${max}`,
    description,
  };
  return v.pipe(
    v.optional(v.string(), String(fallback)),
    v.regex(/^\d+$/, remedy),
    v.transform(Number),
    v.minValue(min, remedy),
    v.maxValue(max, remedy),
    v.metadata({ documentation, fallback, min, max }),
  );
};

/** A variable that is `true` or `false`. */
export const flag = (fallback: boolean, description: string) => {
  const documentation: Documentation = { default: String(fallback), allowed: '`true`, `false`', description };
  return v.pipe(
    v.optional(v.picklist(['true', 'false'], 'Use "true" or "false".'), fallback ? 'true' : 'false'),
    v.transform((value) => value === 'true'),
    v.metadata({ documentation, fallback }),
  );
};
