/** The largest id that there can be: where pages begin that go from the latest on. */
export const largestId = '9223372036854775807';

/** Whether up to 19 digits are small enough for an id. */
export function mayBeId(digits: string): boolean {
  return digits.padStart(largestId.length, '0') <= largestId;
}
