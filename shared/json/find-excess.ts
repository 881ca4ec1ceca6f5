import { colon, comma, findStringEnd, isClosing, isOpening, isToken, quote } from './json-tokens.ts';

/** The most that is read of a JSON document: members of one object, values in all, and levels. */
const limits = { 'members of one object': 10_000, values: 500_000, levels: 200_000 };

/** A shorter document cannot exceed a limit. */
const minBytes = 4 * limits['members of one object'];

/**
 * Returns the limit that a JSON document exceeds, such as `more than 10,000 members of one object`, before it
 * is parsed, in one pass; undefined for none. Readers cost a multiple of a parser, which has no limits.
 */
export function findExcess(json: Buffer): string | undefined {
  const first = json.find((byte) => byte !== 0x20 && (byte < 9 || byte > 13));
  if (json.length < minBytes || !isOpening(first)) return undefined;
  // No comma is before the first value.
  const found = { members: 0, values: 1, levels: 0 };
  const open: number[] = [];
  let excess: keyof typeof limits | undefined;
  for (let i = 0; i < json.length && excess === undefined; i++) {
    const byte = json[i] ?? 0;
    if (isToken[byte] === 0) continue;
    if (byte === quote) i = findStringEnd(json, i);
    else excess = countToken(byte, open, found);
  }
  return excess && `more than ${limits[excess].toLocaleString('en')} ${excess}`;
}

type Found = { members: number; values: number; levels: number };

/** Counts a token. `open`: the members of each object or array around it. Returns the limit it exceeds. */
function countToken(byte: number, open: number[], found: Found): keyof typeof limits | undefined {
  if (isClosing(byte)) open.pop();
  else if (byte === comma) found.values++;
  else if (byte === colon) {
    found.members = (open.pop() ?? 0) + 1;
    open.push(found.members);
  } else found.levels = open.push(0);
  if (found.members > limits['members of one object']) return 'members of one object';
  if (found.values > limits.values) return 'values';
  return found.levels > limits.levels ? 'levels' : undefined;
}
