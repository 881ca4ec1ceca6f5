import * as v from 'valibot';
import { wholeNumber } from '../shared/config/whole-number.ts';

export const text = v.string('Use a string.');

export const matching = (pattern: RegExp, remedy: string) => v.pipe(text, v.regex(pattern, remedy));

/** The pattern and the remedy of a name of Google Cloud, such as `projects/PROJECT/topics/TOPIC`. */
export const nameLike = (form: string) =>
  [new RegExp(`^${form.replaceAll(/[A-Z]+/g, '[^/]+')}$`), `Must look like ${form}.`] as const;

/** A whole number; its metadata has the range for docs/configuration.md. */
export const count = (min: number, max: number) =>
  v.pipe(wholeNumber(min, max), v.metadata({ allowed: `${min} to ${max}` }));
