import { isCalendarDay } from '../calendar-day.ts';

// Values of an envelope, of any type, as values of columns. Each function returns null for a value that does
// not fit: senders omit fields, leave them empty or write them in another type, and no such field is worth
// losing the event.

/**
 * Text that is not empty, or a number as text. Bytes of a header that are not UTF-8 are decoded with U+FFFD:
 * operators read the rest. `[B@5e91993f` is null, too: a bridge in Java prints it for bytes, and it differs
 * in each run.
 */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' || /^\[B@[0-9a-f]+$/.test(value) ? null : value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const base64 = (value as { readonly base64?: unknown } | null | undefined)?.base64;
  return typeof base64 === 'string' ? toText(Buffer.from(base64, 'base64').toString()) : null;
}

function openInteger(min: number, max: number) {
  return (value: unknown): number | null => {
    const text = toText(value);
    const integer = text !== null && /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return integer >= min && integer <= max ? integer : null;
  };
}

/** A count that fits an integer column. */
export const toCount = openInteger(0, 2 ** 31 - 1);
/** A priority that fits its column; it may be negative. */
export const toPriority = openInteger(-(2 ** 15), 2 ** 15 - 1);

/** The kind of a failure that its consumer names. */
export function toErrorKind(value: unknown): 'transient' | 'permanent' | null {
  return value === 'transient' || value === 'permanent' ? value : null;
}

/** The longest wait for a retry, in seconds: a year, as in a policy. */
const maxRetrySeconds = 31_536_000;

/**
 * When to retry: a number of seconds, to the millisecond, or a time as `toZonedDate` reads it. At most a year
 * away.
 */
export function toRetryAfter(value: unknown): number | Date | null {
  const text = toText(value) ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(text)) {
    const seconds = Math.round(Number(text) * 1000) / 1000;
    return seconds <= maxRetrySeconds ? seconds : null;
  }
  const time = toZonedDate(text);
  return time !== null && time.getTime() <= Date.now() + maxRetrySeconds * 1000 ? time : null;
}

/** A count that fits a bigint column, as text: it may be larger than a number can hold. */
export function toBigCount(value: unknown): string | null {
  const text = toText(value);
  return text !== null && /^\d{1,18}$/.test(text) ? text : null;
}

/** Far more than a time has: it bounds the time that any text takes. */
const maxTimeLength = 100;
/** A time of day with its zone, before the year or a comment. */
const zoned = /:\d\d.*(?:z|utc|gmt|[ecmp][sd]t|[+-]\d\d(?::?\d\d)?)(?: \d{4}| \(.*\))?$/i;

/**
 * The time that ISO 8601 or RFC 3339 text names, HTTP writes, or Java, JavaScript or C print, in the years 1
 * to 9999, which PostgreSQL reads alike. A time without a zone is in UTC: senders that omit it mean UTC.
 */
export function toDate(value: unknown): Date | null {
  if (value instanceof Date) return value;
  // JavaScript reads no zone of hours alone, which PostgreSQL prints.
  const text = (toText(value) ?? '').replace(/[+-]\d\d$(?<=:.*)/, '$&:00');
  const [start, day] = /^(?:(\d{4}-\d\d-\d\d)|[A-Z][a-z]{2}(?:,| [A-Z][a-z]{2}) +\d)/.exec(text) ?? [];
  if (start === undefined || text.length > maxTimeLength) return null;
  if (day !== undefined && !isCalendarDay(day)) return null;
  const date = new Date(text === day || zoned.test(text) ? text : `${text}Z`);
  // JavaScript reads 31 February as 3 March. The weekday is not compared.
  if (text[3] === ',' && date.toUTCString().slice(4) !== text.slice(4)) return null;
  const year = date.getUTCFullYear();
  return year > 0 && year < 10_000 ? date : null;
}

/** The same, but null without a zone: hours off, a new failure would be older than the latest delivery. */
export function toZonedDate(value: unknown): Date | null {
  const text = toText(value) ?? '';
  const isZoned = text.length <= maxTimeLength && zoned.test(text);
  return isZoned || value instanceof Date ? toDate(value) : null;
}

function openEpoch(form: RegExp, unitMs: number) {
  return (value: unknown): Date | null => {
    const text = toText(value);
    return text !== null && form.test(text) ? new Date(Number(text) * unitMs) : null;
  };
}

/** The time that a number or its digits name since 1970. */
export const toDateFromMillis = openEpoch(/^\d{1,14}$/, 1);
/** The same in seconds, with or without a fraction. */
export const toDateFromSeconds = openEpoch(/^\d{1,11}(\.\d+)?$/, 1000);

/** Returns the trace id of the first valid W3C traceparent, or null (W3C Trace Context, section 3.2). */
export function findTraceId(...traceparents: unknown[]): string | null {
  const valid = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/;
  return traceparents.map((each) => valid.exec(toText(each) ?? '')?.[1]).find(Boolean) ?? null;
}
