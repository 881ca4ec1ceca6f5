import { isDeeper, isObject, printJson } from '../json/parse-json.ts';
import { normalize, sliceMembers } from '../json/slice-json.ts';
import { toText } from './column-values.ts';
import { maxDepth, replaceUnstorable } from './payload.ts';

/** The parsed value, and its text as written. */
export type Member = { readonly value: unknown; readonly source: string };

export type Members = ReadonlyMap<string, Member>;

/** In the order of the text; undefined for any other value than an object. */
export function readMembers({ value, source }: Member): Members | undefined {
  if (!isObject(value)) return undefined;
  const sources = sliceMembers(source)[0] ?? [];
  const members = new Map<string, Member>();
  for (const [name, text] of sources) members.set(name, { value: value[name], source: text });
  return members;
}

/** As written; undefined if there is none. */
export function sliceAt(json: string, names: readonly string[]): string | undefined {
  return names.reduce<string | undefined>(
    (source, name) => (source === undefined ? undefined : sliceMembers(source)[0]?.get(name)),
    json,
  );
}

/** The text of a string that is not empty, or of a number with all its digits; null for any other value. */
export function readText({ value, source }: Member): string | null {
  return toText(typeof value === 'number' ? source : value);
}

export function isEmpty({ value }: Member): boolean {
  return value === null || value === '';
}

/** The value of a member if jsonb stores it exactly, else its text as written. */
export function keepExactly({ value, source }: Member): unknown {
  if (isDeeper(value, maxDepth)) return source;
  const printed = printJson(value);
  return printed === normalize(source) && replaceUnstorable(printed) === printed ? value : source;
}
