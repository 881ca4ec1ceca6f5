import * as v from 'valibot';

/** A variable that holds a whole number within bounds, or `fallback` where it is not set. */
export const wholeNumber = (fallback: number, least: number, most: number) => {
  const remedy = `Use a whole number from ${least} to ${most}.`;
  return v.pipe(
    v.optional(v.string(), String(fallback)),
    v.regex(/^\d+$/, remedy),
    v.transform(Number),
    v.minValue(least, remedy),
    v.maxValue(most, remedy),
  );
};
