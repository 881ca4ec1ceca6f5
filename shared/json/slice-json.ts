import { colon, findStringEnd, isClosing, isOpening, isToken, quote } from './json-tokens.ts';

/**
 * Slices a JSON object into the bytes of its members by name. Valid JSON only. Members stay as written,
 * because printing them would change large numbers. The last of equal names wins, as in JSON.parse; an
 * earlier, other one is `NAME (i)`.
 */
export function sliceMembers(json: Buffer): ReadonlyMap<string, Buffer> {
  const members = new Map<string, Buffer>();
  let i = 0;
  for (const { name = '', value } of sliceItems(json)) {
    const earlier = members.get(name);
    if (earlier && !earlier.equals(value)) {
      // Never from the first number on: a sender may have taken thousands of such names.
      i = Math.max(i, members.size);
      while (members.has(`${name} (${i})`)) i++;
      members.set(`${name} (${i})`, earlier);
    }
    members.set(name, value);
  }
  return members;
}

type Item = { readonly name: string | undefined; readonly value: Buffer };

/** The members of an object, or the elements of an array. Other values have none. */
export function sliceItems(json: Buffer): readonly Item[] {
  const items: Item[] = [];
  const text = trim(json);
  let name: string | undefined;
  for (let start = isOpening(text[0]) ? 1 : text.length; start < text.length; ) {
    const end = findMark(text, start);
    const value = trim(text.subarray(start, end));
    if (text[end] === colon) name = JSON.parse(value.toString());
    else if (value.length > 0) items.push({ name, value });
    start = end + 1;
  }
  return items;
}

/**
 * The index of the next colon, comma or closing bracket outside of nested values. Without recursion, because
 * senders choose the depth of nesting.
 */
function findMark(json: Buffer, start: number): number {
  let depth = 0;
  for (let i = start; i < json.length; i++) {
    const byte = json[i] ?? 0;
    if (isToken[byte] === 0) continue;
    if (byte === quote) i = findStringEnd(json, i);
    else if (isOpening(byte)) depth++;
    else if (depth === 0) return i;
    else if (isClosing(byte)) depth--;
  }
  return json.length;
}

/** Without the whitespace around it. */
function trim(json: Buffer): Buffer {
  let [start, end] = [0, json.length];
  while ((json[start] ?? 0xff) <= 0x20) start++;
  while (end > start && (json[end - 1] ?? 0xff) <= 0x20) end--;
  return json.subarray(start, end);
}

/**
 * Valid JSON without whitespace between its tokens, and with each string as JSON.stringify prints it: only
 * numbers and the order of members keep their notation.
 */
export function normalize(json: string): string {
  const bytes = Buffer.from(json);
  let [joined, end] = ['', 0];
  for (let start = bytes.indexOf(quote); start !== -1; start = bytes.indexOf(quote, end)) {
    const before = bytes.toString('utf8', end, start).replaceAll(/\s/g, '');
    end = findStringEnd(bytes, start) + 1;
    joined += before + JSON.stringify(JSON.parse(bytes.toString('utf8', start, end)));
  }
  return joined + bytes.toString('utf8', end).replaceAll(/\s/g, '');
}
