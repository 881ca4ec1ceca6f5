import { colon, comma, findStringEnd, isClosing, isToken, quote } from './json-tokens.ts';

/** The most that is read of a JSON document: members of one object, values in all, and levels. */
export const jsonLimits = { members: 10_000, values: 500_000, levels: 200_000 } as const;

/** A shorter document cannot exceed a limit. */
const minBytes = 4 * jsonLimits.members;

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
  if (isClosing(byte)) open.pop();
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

const words = { members: 'members of one object', values: 'values', levels: 'levels' } as const;

function describe(exceeded: keyof typeof jsonLimits): string {
  return `more than ${jsonLimits[exceeded].toLocaleString('en')} ${words[exceeded]}`;
}
