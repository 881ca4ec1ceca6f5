/** A record as the bridge prints it; key, value and headers are base64. */
export type CarriedRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers?: readonly { readonly key: string; readonly value: string | null }[];
};

/**
 * Describes dead letters for the eye: texts as text, bytes as hexadecimal digits, and without what differs in
 * each run: times of now, ids, addresses of objects, and the frames of stack traces.
 */
export function describeRecording(records: readonly CarriedRecord[]): object[] {
  const described = records.map(({ topic, key, value, timestamp, headers = [] }) => ({
    topic,
    timestamp: isRecent(timestamp) ? 'now' : new Date(timestamp).toISOString(),
    key: describeBase64(key),
    value: describeBase64(value),
    headers: headers.map(({ key: name, value: base64 }) => `${name}: ${describeBase64(base64)}`),
  }));
  return described.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function describeBase64(base64: string | null): string | null {
  return base64 === null ? null : describeBytes(Buffer.from(base64, 'base64'));
}

/** Failures as JSON, without what differs in each run, in a stable order. */
export function scrubJson(failures: readonly object[]): object[] {
  return failures
    .map((each) => JSON.stringify(each, scrubValue))
    .sort()
    .map((text) => JSON.parse(text));
}

/** Leaves out times of now, a compressed stack trace, and what depends on the order of deliveries. */
function scrubValue(name: string, value: unknown): unknown {
  if (typeof value === 'number' && [1000, 1, 1e-3, 1e-6].some((unit) => isRecent(value * unit))) return 'now';
  if (/^(iodebezium)?(lsn|txid|sequence)$/i.test(name)) return 'any';
  if (['message_count', 'redelivered'].includes(name)) return undefined;
  if (name === 'error_backtrace') return 'compressed';
  return typeof value === 'string' ? scrub(value) : value;
}

/** Bytes as text, or as hexadecimal digits. */
export function describeBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes) && !/[^\P{Cc}\t\n\r]/u.test(text);
  if (isText) return scrub(text);
  const isTime = (bytes.length === 6 || bytes.length === 8) && isRecent(Number(`0x${bytes.toString('hex')}`));
  return isTime ? `now, in ${bytes.length} bytes` : `0x${bytes.toString('hex')}`;
}

/** Replaces times of now, ids, addresses of objects, and frames of stack traces. */
export function scrub(text: string): string {
  return text
    .replaceAll(/\n(\t(at |\.\.\. \d+ more)| {2}).*/g, '')
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UUID')
    .replaceAll(/\bsha256:[\da-f]+/g, 'sha256:DIGEST')
    .replaceAll(/\b[\da-f]{24}\b/g, 'JID')
    .replaceAll(/@[\da-f]{6,8}\b/g, '@HASH')
    .replaceAll(/\bgen\d+@[\w.-]+/g, 'ORIGIN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, (time) => (isRecent(Date.parse(time)) ? 'now' : time))
    .replaceAll(/\b\d{10}\.\d+\b/g, (seconds) => (isRecent(Number(seconds) * 1000) ? 'now' : seconds))
    .replaceAll(/\blsn:\d+;txId:\d+;sequence:\[.*?\]/g, 'POSITION')
    .replaceAll(/"(lsn|txId)":\d+/g, '"$1":"any"')
    .replaceAll(/"sequence":"(\\.|[^"\\])*"/g, '"sequence":"any"')
    .replaceAll(/\b(\d{13})(\d{3}|\d{6})\b/g, (digits, millis) => (isRecent(Number(millis)) ? 'now' : digits))
    .replaceAll(/\b\d{13}\b/g, (digits) => (isRecent(Number(digits)) ? 'now' : digits));
}

function isRecent(time: number): boolean {
  return Math.abs(Date.now() - time) < 3_600_000;
}
