/** The most that is read of a JSON document: members of one object, values in all, and levels. */
export const jsonLimits = { members: 10_000, values: 500_000, levels: 200_000 } as const;

/** A shorter document cannot exceed a limit. */
const minBytes = 4 * jsonLimits.members;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bytes between values are looked up: it takes a third of the time of seven comparisons. */
const isToken = new Uint8Array(256);
for (const byte of [quote, comma, colon, openBrace, closeBrace, openBracket, closeBracket]) isToken[byte] = 1;

/**
 * Returns the limit that a JSON document exceeds, such as `more than 10,000 members of one object`, before it
 * is parsed; undefined for none. Readers cost a multiple of a parser, which has no limits. One pass over the
 * bytes.
 */
export function findExcess(json: Buffer): string | undefined {
  if (json.length < minBytes || !/^\s*[{[]/.test(json.toString('latin1', 0, 100))) return undefined;
  const members: number[] = [];
  let values = 0;
  let most = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] ?? 0;
    if (isToken[byte] === 0) continue;
    if (byte === quote) i = findStringEnd(json, i);
    else if (byte === comma) values++;
    else if (byte === colon) {
      const own = (members[members.length - 1] ?? 0) + 1;
      members[members.length - 1] = own;
      if (own > most) most = own;
    } else if (byte === openBrace || byte === openBracket) {
      if (members.push(0) > deepest) deepest = members.length;
    } else if (byte === closeBrace || byte === closeBracket) members.pop();
    if (most > jsonLimits.members || values > jsonLimits.values || deepest > jsonLimits.levels) break;
  }
  return describe({ members: most, values, levels: deepest });
}

function findStringEnd(json: Buffer, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    const byte = json[i];
    if (byte === quote) return i;
    if (byte === backslash) i++;
  }
  return json.length;
}

const words = { members: 'members of one object', values: 'values', levels: 'levels' } as const;

function describe(found: Readonly<Record<keyof typeof jsonLimits, number>>): string | undefined {
  const names = ['members', 'values', 'levels'] as const;
  const exceeded = names.find((name) => found[name] > jsonLimits[name]);
  return exceeded && `more than ${jsonLimits[exceeded].toLocaleString('en')} ${words[exceeded]}`;
}
