import * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import { wholeNumber } from '../shared/config/whole-number.ts';

export const text = v.string('Use a string.');

export const matching = (pattern: RegExp, remedy: string) => v.pipe(text, v.regex(pattern, remedy));

/** The pattern and the remedy of a name of Google Cloud, such as `projects/PROJECT/topics/TOPIC`. */
export const nameLike = (form: string) =>
  [new RegExp(`^${form.replaceAll(/[A-Z]+/g, '[^/]+')}$`), `Must look like ${form}.`] as const;

/** Whether a value contains no output of another resource. */
export function isKnown(value: unknown): boolean {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isKnown);
}

const output = v.custom<pulumi.Input<string>>((value) => !isKnown(value));

/** A text that no resource is planned by, so that it may be an output of another one. */
export const orOutput = <Known = string>(schema: v.GenericSchema<Known, string>) =>
  v.lazy<v.GenericSchema<Known | pulumi.Input<string>, pulumi.Input<string>>>((value) =>
    isKnown(value) ? schema : output,
  );

/** A text. `pulumi config set --path` makes a number, or a boolean, of one that looks like it. */
export const plainText = v.pipe(
  v.union([v.string(), v.number(), v.boolean()], 'Use a text or a number.'),
  v.transform(String),
);

/** A whole number; its metadata has the range for docs/configuration.md. */
export const count = (min: number, max: number) =>
  v.pipe(wholeNumber(min, max), v.metadata({ allowed: `${min} to ${max}` }));
