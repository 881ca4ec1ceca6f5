import { isDeeper, isObject, printJson } from '../json/parse-json.ts';
import { normalize, sliceMembers } from '../json/slice-json.ts';
import { toText } from './column-values.ts';
import { replaceUnstorable } from './payload.ts';

/** A member of a JSON object: its parsed value, and its text as written. */
export type Member = { readonly value: unknown; readonly source: string };

export type Members = ReadonlyMap<string, Member>;

/** A fact among the members of an object: the names by which senders call it, the preferred one first. */
type Field<Value> = {
  readonly names: readonly string[];
  readonly read: (text: string) => Value | null | undefined;
};

type FieldValue<F> = F extends Field<infer Value> ? Value | null : never;

/** Deeper values are kept as text: printing them, and storing them as jsonb, would exceed the stack. */
export const maxDepth = 1000;

/** The members of a JSON object, in the order of its text. Returns undefined for any other value. */
export function readMembers({ value, source }: Member): Members | undefined {
  if (!isObject(value)) return undefined;
  const sources = sliceMembers(source)[0] ?? [];
  const members = new Map<string, Member>();
  for (const [name, text] of sources) members.set(name, { value: value[name], source: text });
  return members;
}

/** The text of the value at the end of a path of names, as written; undefined if there is none. */
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

/** Whether a member says nothing: null, or an empty string. */
export function isEmpty({ value }: Member): boolean {
  return value === null || value === '';
}

/**
 * Reads facts from members: each from the first of its names that has a usable value. Returns null for a fact without
 * any, and the names of all members that need no other place: those that were read, are empty, or repeat what was read.
 */
export function readFields<Fields extends Readonly<Record<string, Field<unknown>>>>(
  members: Members | undefined,
  fields: Fields,
): { readonly facts: { [Fact in keyof Fields]: FieldValue<Fields[Fact]> }; readonly used: Set<string> } {
  const facts: Record<string, unknown> = {};
  const used = new Set<string>();
  for (const fact in fields) facts[fact] = readField(members, fields[fact], used);
  return { facts: facts as { [Fact in keyof Fields]: FieldValue<Fields[Fact]> }, used };
}

/** Adds names to `used`. Loops, because a report has some twenty fields. */
function readField(
  members: Members | undefined,
  field: Field<unknown> | undefined,
  used: Set<string>,
): unknown {
  let found: { readonly text: string | null; readonly value: unknown } | undefined;
  for (const name of field?.names ?? []) {
    const member = members?.get(name);
    if (!member) continue;
    const text = readText(member);
    const value = text === null ? null : field?.read(text);
    if (!found && value !== null && value !== undefined) found = { text, value };
    if (isEmpty(member) || (found && found.text === text)) used.add(name);
  }
  return found?.value ?? null;
}

/** The value of a member if jsonb stores it exactly, else its text as written. */
export function keepExactly({ value, source }: Member): unknown {
  if (isDeeper(value, maxDepth)) return source;
  const printed = printJson(value);
  return printed === normalize(source) && replaceUnstorable(printed) === printed ? value : source;
}
