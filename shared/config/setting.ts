import * as v from 'valibot';
import { type Checked, check, checkAll } from './validate.ts';
import { wholeNumberText } from './whole-number.ts';

export const functionNames = ['capture', 'retry', 'replay', 'console', 'maintain'] as const;
export type FunctionName = (typeof functionNames)[number];

/** A setting of the stack, and where it differs from the variable, with the reason. */
export type StackSetting = {
  /** Its name, if it is not that of the variable in camelCase. */
  readonly name?: string;
  readonly default?: number;
  readonly max?: number;
  readonly reason?: string;
};

type Definition = {
  /** Its field in the configuration, if it is not the name of the variable in camelCase. */
  readonly as?: string;
  /** The value in effect when the variable is not set. */
  readonly default?: string | number | boolean;
  /** The functions that read it: the deployment sets it for no other. */
  readonly readBy: readonly [FunctionName, ...FunctionName[]];
  /** No problem shows its value, and Secret Manager keeps it; the stack file has a `whole` one encrypted. */
  readonly secret?: 'whole' | 'parts';
  /** Omitted if the stack has it like the variable. Else the deployment derives it, or leaves it unset. */
  readonly stack?: StackSetting | 'derived' | { readonly unset: string };
};

/** A setting of the functions: a variable of the environment, whose text `schema` parses. */
export type Setting = Definition & {
  readonly allowed: string;
  /** One sentence. */
  readonly description: string;
  readonly schema: v.GenericSchema<string | undefined, unknown>;
  readonly kind?: 'number' | 'flag';
  readonly min?: number;
  readonly max?: number;
};

type NumberDefinition = Definition & { readonly default: number; readonly min: number; readonly max: number };
type FlagDefinition = Definition & { readonly default: boolean };
type TextDefinition = Definition & { readonly allowed: string; readonly form?: readonly [RegExp, string] };

export const defineSetting = <const Given extends Omit<Setting, 'description'>>(
  given: Given,
  description: string,
) => ({ ...given, description });

/** Defines a whole number from `min` to `max`. */
export const defineNumber = <const Given extends NumberDefinition>(given: Given, description: string) => ({
  ...given,
  description,
  kind: 'number' as const,
  allowed: `${given.min} to ${given.max}`,
  schema: v.optional(wholeNumberText(given.min, given.max), String(given.default)),
});

/** Defines a setting that is `true` or `false`. */
export const defineFlag = <const Given extends FlagDefinition>(given: Given, description: string) => ({
  ...given,
  description,
  kind: 'flag' as const,
  allowed: '`true`, `false`',
  schema: v.pipe(
    v.optional(v.picklist(['true', 'false'], 'Use "true" or "false".'), given.default ? 'true' : 'false'),
    v.transform((value) => value === 'true'),
  ),
});

/** Defines a text, undefined if it is unset or empty. `form` may reject an empty one, with its remedy. */
export const defineText = <const Given extends TextDefinition>(given: Given, description: string) => ({
  ...given,
  description,
  schema: v.optional(
    v.pipe(
      v.string(),
      v.regex(...(given.form ?? ([/^/, ''] as const))),
      v.transform((text) => text || undefined),
    ),
  ),
});

/** Texts between commas, without the spaces around them and empty ones. */
export const commaList = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split(',').flatMap((part) => part.trim() || [])),
);

export type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** Returns the name of a setting in camelCase: `batchSize` of `BATCH_SIZE`. */
export const toCamelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** The text form of settings, as a process environment holds them. */
export type Texts<Of> = { readonly [Name in keyof Of]?: string | undefined };

type Defined = Readonly<Record<string, Setting>>;

/** The values of settings, by their fields. */
export type Settings<Of extends Defined> = {
  readonly [Name in keyof Of & string as Of[Name] extends { as: infer Field extends string }
    ? Field
    : CamelCase<Name>]: v.InferOutput<Of[Name]['schema']>;
};

/** Those that every function of `Reader` reads: the deployment sets them for no other. */
export type SettingsOf<Reader extends FunctionName, Of extends Defined> = Settings<{
  readonly [Name in keyof Of as [Reader] extends [Of[Name]['readBy'][number]] ? Name : never]: Of[Name];
}>;

/** Reads the values of settings from an environment. */
export function readSettings<Of extends Defined>(group: Of, env: Texts<NoInfer<Of>>): Checked<Settings<Of>> {
  const checks = Object.entries(group).map(([name, { schema, as = toCamelCase(name) }]) => {
    return [as, check(schema, env[name as keyof Of], name)];
  });
  return checkAll(Object.fromEntries(checks));
}
