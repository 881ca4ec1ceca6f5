/** An event is found by up to this number of values. */
const maxIds = 12;
/** Characters of a text that are read. */
export const maxRead = 32_768;

const dateOrTime =
  /^(\d{4}-\d\d-\d\d(t.*)?|(19|20)\d\d(0[1-9]|1[0-2])[0-3]\d(t\d+z?)?|1[4-9]\d{8}(\d{3}){0,3})$/i;

/**
 * The hashes of the values in texts that look like ids: 6 to 64 letters, digits, hyphens and underscores,
 * with three digits at least, such as UUIDs, ULIDs, ORD-10231 and long numbers. Dates, times, fractions and
 * seconds since 1970 are none. The trigger of 002_plain-sql.sql makes the same of rows from SQL.
 */
export function hashIds(texts: readonly (string | null)[]): number[] {
  const hashes: number[] = [];
  for (const text of texts) {
    if (text) addHashes(text, hashes);
  }
  return hashes;
}

/** The hash of an id, key or trace of an event, whatever it looks like: of its first 64 characters. */
export function hashId(id: string): number {
  let hash = 0x811c9dc5;
  for (const character of [...id.slice(0, 128)].slice(0, 64)) hash = mix(hash, character.codePointAt(0) ?? 0);
  return fold(hash);
}

/** FNV-1a in lower case. */
const mix = (hash: number, code: number) =>
  Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), 16_777_619);

const fold = (hash: number) => (hash ^ (hash >>> 16)) & 0xffff;

/** Hashes as an event has them that is captured at this time. */
export function hashAt(hashes: readonly number[], time: Date): number[] {
  return hashes.map((hash) => ((Math.floor(time.getTime() / 3_600_000) & 255) << 16) | hash);
}

/** A loop: a capture pays for it, and a regular expression takes twice as long. */
function addHashes(text: string, hashes: number[]): void {
  const end = Math.min(text.length, maxRead);
  let from = 0;
  let digits = 0;
  for (let at = 0; at <= end && hashes.length < maxIds; at++) {
    const code = at < end ? text.charCodeAt(at) : 0;
    const kind = code < 128 ? kinds[code] : other;
    if (kind === digit) digits++;
    if (kind !== other) continue;
    if (digits >= 3) addHash(text, [from, at], hashes);
    digits = 0;
    if (code === backslash) at += measureEscape(text, at);
    from = at + 1;
  }
}

/** The characters behind a backslash that belong to an escape of JSON. */
const measureEscape = (text: string, at: number) => (text[at + 1] === 'u' ? 5 : 1);

type Span = readonly [from: number, to: number];

function addHash(text: string, [start, end]: Span, hashes: number[]): void {
  let from = start;
  while (kinds[text.charCodeAt(from)] === joint) from++;
  let to = end;
  while (kinds[text.charCodeAt(to - 1)] === joint) to--;
  if (to - from < 6 || to - from > 64 || isNumberOfOtherKind(text, from, to)) return;
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = mix(hash, text.charCodeAt(at));
  const folded = fold(hash);
  if (!hashes.includes(folded)) hashes.push(folded);
}

function isNumberOfOtherKind(text: string, from: number, to: number): boolean {
  if (kinds[text.charCodeAt(from)] !== digit) return false;
  const value = text.slice(from, to);
  return dateOrTime.test(value) || (text[from - 1] === '.' && /^\d+$/.test(value));
}

const backslash = 92;
const other = 0;
const joint = 1;
const letter = 2;
const digit = 3;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return digit;
  if (/[-_]/.test(character)) return joint;
  return /[A-Za-z]/.test(character) ? letter : other;
});
