import * as v from 'valibot';
import { type Checked, check } from './validate.ts';
import { wholeNumberText } from './whole-number.ts';

/** The text form of variables, as a process environment holds them. */
export type Texts<Entries> = { readonly [Name in keyof Entries]?: string };

/**
 * Documents a variable: `description` is one sentence, `allowed` the accepted values, `default` the value in
 * effect when it is not set.
 */
type Documentation = {
  readonly default?: string;
  readonly allowed: string;
  readonly description: string;
};

type NumberRange = { readonly default: number; readonly min: number; readonly max: number };

/** A variable whose text `schema` parses. */
export const variable = <const Schema extends v.GenericSchema>(
  documentation: Documentation,
  schema: Schema,
) => v.pipe(schema, v.metadata({ documentation }));

/** A variable that holds a whole number from `min` to `max`. */
export const numberVariable = ({ default: fallback, min, max }: NumberRange, description: string) => {
  const documentation: Documentation = {
    default: String(fallback),
    allowed: `${min} to ${max}`,
    description,
  };
  return v.pipe(
    v.optional(wholeNumberText(min, max), String(fallback)),
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

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** The values of variables, by their names in camelCase: `BATCH_SIZE` becomes `batchSize`. */
export type Settings<Entries extends v.ObjectEntries> = {
  readonly [Name in keyof Entries & string as CamelCase<Name>]: v.InferOutput<Entries[Name]>;
};

/** Reads the values of variables from an environment. */
export function readSettings<Entries extends v.ObjectEntries>(
  schema: v.ObjectSchema<Entries, undefined>,
  env: Texts<Entries>,
): Checked<Settings<Entries>> {
  const checked = check(schema, env);
  if (!checked.ok) return checked;
  const settings = Object.keys(schema.entries).map((name) => [
    name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    checked.value[name as keyof typeof checked.value],
  ]);
  return { ok: true, value: Object.fromEntries(settings) };
}
