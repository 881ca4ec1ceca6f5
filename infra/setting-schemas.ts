import * as v from 'valibot';

export const text = v.string('Use a string.');

export const matching = (pattern: RegExp, remedy: string) => v.pipe(text, v.regex(pattern, remedy));

/** A whole number; its metadata has the range for docs/configuration.md. */
export const count = (min: number, max: number) => {
  const remedy = `Use a whole number from ${min} to ${max}.`;
  return v.pipe(
    v.number('Use a number.'),
    v.integer(remedy),
    v.minValue(min, remedy),
    v.maxValue(max, remedy),
    v.metadata({ allowed: `${min} to ${max}` }),
  );
};
