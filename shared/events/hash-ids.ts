/** An event is found by up to this number of values in its texts. */
const maxIds = 6;
/** Characters of a text that are read. */
export const maxRead = 32_768;
/** A longer run of letters and digits is no id. */
const maxRun = 256;

/** A date or time, seconds since 1970, and a header of a trace. */
const noId = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\d(t.*)?|(19|20)\d\d(0[1-9]|1[0-2])[0-3]\d(t\d+z?)?|` +
    String.raw`1[4-9]\d{8}(\d{3}){0,3}|00-[\da-f]{32}-[\da-f]{16}-..)$`,
  'i',
);

/**
 * The hashes of the values in texts that look like ids: 6 to 64 letters, digits, hyphens and underscores,
 * with three digits at least, such as UUIDs, ULIDs, ORD-10231 and long numbers. Dates, times, fractions,
 * seconds since 1970 and headers of a trace are none. The trigger of 002_plain-sql.sql makes the same of rows
 * from SQL.
 */
export function hashIds(texts: readonly (string | null)[]): number[] {
  const hashes: number[] = [];
  for (const text of texts) if (text) addHashes(text, hashes);
  return hashes;
}

/** The hash of an id, key or trace of an event, whatever it looks like: of its first 64 characters. */
export function hashId(id: string): number {
  let hash = seed;
  for (let at = 0, left = 64; at < id.length && left > 0; left--) {
    const code = id.codePointAt(at) ?? 0;
    hash = mix(hash, code);
    at += code > 0xffff ? 2 : 1;
  }
  return fold(hash);
}

/** FNV-1a in lower case, folded to 16 bits. */
const seed = 0x811c9dc5;
const mix = (hash: number, code: number) =>
  Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), 16_777_619);
const fold = (hash: number) => (hash ^ (hash >>> 16)) & 0xffff;

/** Three digits in a run of letters, digits, hyphens and underscores, and all that follows there. */
const threeDigits = /\d[\w-]*\d[\w-]*\d[\w-]*/g;

function addHashes(text: string, hashes: number[]): void {
  const said = text.length > maxRead ? text.slice(0, maxRead) : text;
  threeDigits.lastIndex = 0;
  while (hashes.length < maxIds && threeDigits.test(said)) addId(said, threeDigits.lastIndex, hashes);
}

/** Adds the hash of the run that ends there, without hyphens and underscores around it, if it is an id. */
function addId(text: string, end: number, hashes: number[]): void {
  let from = findStart(text, end);
  const isFraction = text[from - 1] === '.' && /^\d+[-_]*$/.test(text.slice(from, end));
  let to = end;
  while (isJoint(text.charCodeAt(from))) from++;
  while (isJoint(text.charCodeAt(to - 1))) to--;
  if (to - from < 6 || to - from > 64 || isFraction) return;
  if (text.charCodeAt(from) <= 57 && noId.test(text.slice(from, to))) return;
  let hash = seed;
  for (let at = from; at < to; at++) hash = mix(hash, text.charCodeAt(at));
  const folded = fold(hash);
  if (!hashes.includes(folded)) hashes.push(folded);
}

/** Where the run begins that ends there, behind an escape of JSON. */
function findStart(text: string, end: number): number {
  let from = end;
  while (end - from < maxRun && isOfRun(text.charCodeAt(from - 1))) from--;
  let escapes = 0;
  while (text[from - 1 - escapes] === '\\') escapes++;
  if (escapes % 2 === 0) return from;
  const start = from + (/^u[\da-f]{4}/i.test(text.slice(from, from + 5)) ? 5 : 1);
  return /\d.*\d.*\d/.test(text.slice(start, end)) ? start : end;
}

const isJoint = (code: number) => code === 45 || code === 95;

/** Whether a character is one of [0-9A-Za-z_-]; a loop over it is faster than a pattern. */
function isOfRun(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || isJoint(code);
}
