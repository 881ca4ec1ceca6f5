const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as text, or undefined where they are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes of base64 as encoders write it, or undefined where the text is something else. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** The JSON value of a text, or undefined where it is none. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON, or nothing where it is nested deeper than printing can follow. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

let latest: { readonly body: Buffer; readonly value: unknown } | undefined;

/** The JSON value of a body, or undefined. Kept for the one body that all readers look at in turn. */
export function parseBody(body: Buffer): unknown {
  if (latest?.body !== body) latest = { body, value: parseJson(decodeUtf8(body)) };
  return latest.value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A text that says something, or null: what senders leave out, leave empty or write in another type is no fact. Nor
 * is `[B@5e91993f`, which a bridge in Java prints for bytes: it differs with each run.
 */
export function toFact(value: unknown): string | null {
  if (typeof value === 'string') return value === '' || /^\[B@[0-9a-f]+$/.test(value) ? null : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null;
}

/** A count that fits an integer column, or null. */
export function toCount(value: unknown): number | null {
  const text = toFact(value);
  return text !== null && /^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : null;
}

/** An offset that fits a bigint column, as text because it need not fit a number, or null. */
export function toOffset(value: unknown): string | null {
  const text = toFact(value);
  return text !== null && /^\d{1,18}$/.test(text) ? text : null;
}

/**
 * A moment in any form that ISO 8601 and RFC 3339 allow, or as Java prints a Date, in years that PostgreSQL reads
 * alike, or null. A time without a zone is UTC: so do those mean it who leave it out.
 */
export function toMoment(value: unknown): Date | null {
  if (typeof value !== 'string' || !/^(\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [A-Z][a-z]{2} \d)/.test(value))
    return null;
  const hasNoZone = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value);
  const moment = new Date(hasNoZone ? `${value}Z` : value);
  const year = moment.getUTCFullYear();
  return year > 0 && year < 10_000 ? moment : null;
}

/** The moment of a count of milliseconds since 1970, as a number or in digits, or null. */
export function toMomentOfMillis(value: unknown): Date | null {
  const text = toFact(value);
  return text !== null && /^\d{1,14}$/.test(text) ? new Date(Number(text)) : null;
}

/** The moment of a count of seconds since 1970, whole or with a fraction, as a number or in digits, or null. */
export function toMomentOfSeconds(value: unknown): Date | null {
  const text = toFact(value);
  return text !== null && /^\d{1,11}(\.\d+)?$/.test(text) ? new Date(Number(text) * 1000) : null;
}

/** An error as Java prints it, `class: message`, from what is known of it, or null. */
export function joinReason(...parts: (string | null)[]): string | null {
  return parts.filter((part) => part !== null).join(': ') || null;
}

/** The trace id of a W3C traceparent, the first of several that has one (W3C Trace Context, section 3.2). */
export function findTraceId(...traceparents: unknown[]): string | null {
  for (const traceparent of traceparents) {
    const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(toFact(traceparent) ?? '') ?? [];
    if (traceId) return traceId;
  }
  return null;
}
