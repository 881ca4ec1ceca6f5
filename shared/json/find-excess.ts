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
  const found = { members: 0, values: 0, levels: 0 };
  const open: number[] = [];
  let excess: string | undefined;
  for (let i = 0; i < json.length && excess === undefined; i++) {
    const byte = json[i] ?? 0;
    if (isToken[byte] === 0) continue;
    if (byte === quote) i = findStringEnd(json, i);
    else excess = countToken(byte, open, found);
  }
  return excess;
}

type Found = { members: number; values: number; levels: number };

/** Counts a token. `open`: the members of each object or array around it. Returns the limit it exceeds. */
function countToken(byte: number, open: number[], found: Found): string | undefined {
  if (byte === closeBrace || byte === closeBracket) open.pop();
  else if (byte === comma) found.values++;
  else if (byte === colon) {
    const last = open.length - 1;
    open[last] = (open[last] ?? 0) + 1;
    found.members = open[last];
  } else found.levels = open.push(0);
  if (found.members > jsonLimits.members) return describe('members');
  if (found.values > jsonLimits.values) return describe('values');
  return found.levels > jsonLimits.levels ? describe('levels') : undefined;
}

/** Most strings are short. What is left of a long one is searched, up to its first escape. */
const maxLooped = 32;

function findStringEnd(json: Buffer, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    if (i === start + maxLooped) i = skipPlain(json, i);
    if (json[i] === quote) return i;
    if (json[i] === backslash) i++;
  }
  return json.length;
}

function skipPlain(json: Buffer, start: number): number {
  const end = json.indexOf(quote, start);
  const plain = json.subarray(start, end === -1 ? json.length : end);
  const at = plain.indexOf(backslash);
  return start + (at === -1 ? plain.length : at);
}

const words = { members: 'members of one object', values: 'values', levels: 'levels' } as const;

function describe(exceeded: keyof typeof jsonLimits): string {
  return `more than ${jsonLimits[exceeded].toLocaleString('en')} ${words[exceeded]}`;
}
