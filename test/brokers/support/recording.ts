import type { CarriedRecord } from './carry-by-bridge.ts';

/**
 * Describes dead letters for the eye: texts as text, bytes as hexadecimal digits, and without what differs in each run: times
 * of now, ids, addresses of objects, and the frames of stack traces.
 */
export function describeRecording(records: readonly CarriedRecord[]): object[] {
  const described = records.map(({ topic, key, value, timestamp, headers = [] }) => ({
    topic,
    timestamp: isRecent(timestamp) ? 'now' : new Date(timestamp).toISOString(),
    key: describeBytes(key),
    value: describeBytes(value),
    headers: headers.map(({ key: name, value: bytes }) => `${name}: ${describeBytes(bytes)}`),
  }));
  return described.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function describeBytes(base64: string | null): string | null {
  if (base64 === null) return null;
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes) && !/[^\P{Cc}\t\n\r]/u.test(text);
  if (isText) return scrub(text);
  const isTime = (bytes.length === 6 || bytes.length === 8) && isRecent(Number(`0x${bytes.toString('hex')}`));
  return isTime ? `now, in ${bytes.length} bytes` : `0x${bytes.toString('hex')}`;
}

function scrub(text: string): string {
  return text
    .replaceAll(/\n\t(at |\.\.\. \d+ more).*/g, '')
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UUID')
    .replaceAll(/@[\da-f]{6,8}\b/g, '@HASH')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (isRecent(Date.parse(time)) ? 'now' : time))
    .replaceAll(/\b\d{13}\b/g, (digits) => (isRecent(Number(digits)) ? 'now' : digits));
}

function isRecent(time: number): boolean {
  return Math.abs(Date.now() - time) < 3_600_000;
}
