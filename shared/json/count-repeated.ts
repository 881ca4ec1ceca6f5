import { colon, findStringEnd, quote } from './json-tokens.ts';

/** How many members of a JSON text its value lacks: of equal names in an object JSON.parse reads the last. */
export function countRepeated(json: Buffer, value: unknown): number {
  let members = 0;
  for (let i = 0; i < json.length; i++) {
    if (json[i] === quote) i = findStringEnd(json, i);
    else if (json[i] === colon) members++;
  }
  return members - countMembers(value);
}

/** Without recursion, because senders choose the depth of nesting. */
function countMembers(value: unknown): number {
  let members = 0;
  const found = [value];
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue;
    const values = Object.values(each);
    if (!Array.isArray(each)) members += values.length;
    for (const inner of values) found.push(inner);
  }
  return members;
}
