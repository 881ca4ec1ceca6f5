const day = 86_400;

/** The three date formats of RFC 9110 5.6.7. The last one names no zone; all are in GMT. */
const dates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/, // Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/, // Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/, // Sun Nov  6 08:49:37 1994
];

/**
 * Returns the seconds to wait by a `Retry-After` header (RFC 9110 10.2.3: a number of seconds, or a date), at
 * most one day. `now` is in ms since the epoch. Returns undefined if the header is missing or invalid.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), day);
  if (!dates.some((form) => form.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.min(Math.max((date - now) / 1000, 0), day);
}
