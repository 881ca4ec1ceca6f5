const day = 86_400;

/** The three forms of a date in RFC 9110 5.6.7. The last one names no zone, and is in GMT as the others are. */
const dates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/, // Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/, // Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/, // Sun Nov  6 08:49:37 1994
];

/**
 * Seconds that a `Retry-After` header asks us to wait (RFC 9110 10.2.3: a number of seconds, or a date), a day at
 * most. `now` is in ms since the epoch. Undefined where there is no header, or one that makes no sense.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), day);
  if (!dates.some((form) => form.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.min(Math.max((date - now) / 1000, 0), day);
}
