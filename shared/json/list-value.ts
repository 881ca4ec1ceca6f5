import { isObject } from './parse-json.ts';

/** The value at a JSON Pointer, in a list of its own, or none. Of a list `-1` is the last. */
export function listValue(json: unknown, tokens: readonly string[]): readonly unknown[] {
  let value = json;
  for (const token of tokens) {
    if (Array.isArray(value) && /^(\d{1,9}|-1)$/.test(token)) value = value.at(Number(token));
    else if (!isObject(value)) return [];
    else if (Object.hasOwn(value, token)) value = value[token];
    else return [];
  }
  return value === undefined ? [] : [value];
}
