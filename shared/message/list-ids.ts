/** An event is found by up to this number of values. */
const maxIds = 12;
/** Characters of a text that are read. */
export const maxRead = 32_768;

const dateOrTime =
  /^(\d{4}-\d\d-\d\d(t.*)?|(19|20)\d\d(0[1-9]|1[0-2])[0-3]\d(t\d+z?)?|1[4-9]\d{8}(\d{3}){0,3})$/;

/**
 * The values in texts that look like ids, in lower case: 6 to 64 letters, digits, hyphens and underscores, with
 * three digits at least, such as UUIDs, ULIDs, ORD-10231 and long numbers. Dates, times, fractions and seconds
 * since 1970 are none. dlq_list_ids() in SQL returns the same.
 */
export function listIds(texts: readonly (string | null | undefined)[]): string[] {
  const ids = new Set<string>();
  for (const text of texts) {
    if (text) addIds(text, ids);
    if (ids.size >= maxIds) break;
  }
  return [...ids].slice(0, maxIds);
}

/** A loop over characters: a capture pays for it, and a regular expression takes four times as long. */
function addIds(text: string, ids: Set<string>): void {
  const end = Math.min(text.length, maxRead);
  let digits = 0;
  for (let from = 0, at = 0; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : 0;
    const kind = kinds[code] ?? other;
    if (kind === digit) digits++;
    if (kind !== other) continue;
    if (digits >= 3) addId(text, [from, at], ids);
    digits = 0;
    // An escape of JSON is not part of a value.
    if (code === backslash) at += text[at + 1] === 'u' ? 5 : 1;
    from = at + 1;
  }
}

function addId(text: string, [from, to]: readonly [number, number], ids: Set<string>): void {
  const run = text.slice(from, to);
  const isFraction = text[from - 1] === '.' && /^\d+$/.test(run);
  const id = run.replace(/^[-_]+|[-_]+$/g, '').toLowerCase();
  if (id.length >= 6 && id.length <= 64 && !isFraction && !dateOrTime.test(id)) ids.add(id);
}

const [other, part, digit, backslash] = [0, 1, 2, 92];
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return digit;
  return /[\w-]/.test(character) ? part : other;
});
