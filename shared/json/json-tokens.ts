export const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Bytes between values are looked up: it takes a third of the time of seven comparisons. */
export const isToken = new Uint8Array(256);
for (const byte of [quote, comma, colon, openBrace, closeBrace, openBracket, closeBracket]) isToken[byte] = 1;

export const isOpening = (byte: number | undefined) => byte === openBrace || byte === openBracket;
export const isClosing = (byte: number | undefined) => byte === closeBrace || byte === closeBracket;

const backslash = 0x5c;
/** Most strings are short. What is left of a long one is searched, up to its first escape. */
const maxLooped = 32;

/** The index of the closing quote of the string that begins at `start`. */
export function findStringEnd(json: Buffer, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    if (i === start + maxLooped) i = skipPlain(json, i);
    if (json[i] === quote) return i;
    if (json[i] === backslash) i++;
  }
  return json.length;
}

function skipPlain(json: Buffer, start: number): number {
  const plain = json.subarray(start, json.indexOf(quote, start));
  const at = plain.indexOf(backslash);
  return start + (at === -1 ? plain.length : at);
}
