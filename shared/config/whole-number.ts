import * as v from 'valibot';

const describeRange = (min: number, max: number) => `Use a whole number from ${min} to ${max}.`;

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number, remedy = describeRange(min, max)) {
  return v.pipe(v.number(remedy), v.integer(remedy), v.minValue(min, remedy), v.maxValue(max, remedy));
}

/** The same as text, as a query and an environment variable have it; `min` is not negative. */
export function wholeNumberText(min: number, max: number, remedy = describeRange(min, max)) {
  const isInRange = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return v.pipe(
    v.string(remedy),
    v.check(isInRange, remedy),
    v.metadata({ type: 'integer', minimum: min, maximum: max }),
    v.transform(Number),
  );
}
