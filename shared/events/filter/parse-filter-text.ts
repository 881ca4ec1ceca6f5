import { check } from '../../config/validate.ts';
import { fields, filterFields } from './filter-fields.ts';
import type { FilterKind } from './filter-kind.ts';
import { type Filter, FilterSchema } from './filter-schema.ts';
import { type Misreading, type ReadResult, readText, type TextValue } from './text-values.ts';

/** The filter of a text, or every problem with the part of the text that it is in. */
export type ParsedFilterText =
  | { readonly ok: true; readonly value: Filter }
  | { readonly ok: false; readonly problems: readonly Misreading[] };

/** The filter as JSON, and the text of each of its values under the name that a check gives it. */
type Parsed = { readonly input: Record<string, unknown>; readonly texts: Map<string, string> };

/** Parses a filter from text such as `refused type:order.* status:open failed:>24h`. */
export function parseFilterText(text: string): ParsedFilterText {
  const parsed: Parsed = { input: {}, texts: new Map() };
  const problems = splitConditions(text).flatMap((condition) => addCondition(parsed, condition));
  const checked = check(FilterSchema, parsed.input);
  if (checked.ok && problems.length === 0) return checked;
  const wrong = checked.ok ? [] : checked.problems;
  const located = wrong.map(({ field, remedy }) => ({ text: findText(parsed, field), remedy }));
  return { ok: false, problems: [...problems, ...located] };
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
/** A quote that is not closed goes up to the end: it would be tried to close from each quote on. */
const anyQuoted = new RegExp(`${quoted}|".*$`, 'gs');
/** Texts without spaces, but for those in quotes. */
const anyCondition = new RegExp(String.raw`(?:${anyQuoted.source}|[^\s"])+`, 'gs');
const closed = new RegExp(`^(?:${quoted}|[^"])*$`, 's');

/** Splits the text of a filter at spaces, but for those in quotes and in the brackets of JSON. */
function splitConditions(text: string): string[] {
  const conditions: string[] = [];
  let depth = 0;
  for (const [piece] of text.matchAll(anyCondition)) {
    if (depth > 0) conditions.push(`${conditions.pop()} ${piece}`);
    else conditions.push(piece);
    if (depth > 0 || isJson(piece)) depth = Math.max(0, depth + countBrackets(piece));
  }
  return conditions;
}

const isJson = (condition: string) =>
  fields.some(({ word, kind }) => kind.name === 'contains' && condition.startsWith(`${word}:`));

function countBrackets(piece: string): number {
  const brackets = piece.replaceAll(anyQuoted, '').match(/[[\]{}]/g) ?? [];
  return brackets.reduce((depth, bracket) => depth + ('[{'.includes(bracket) ? 1 : -1), 0);
}

/** Adds the values of a condition; one without a known word is searched. Returns its problems. */
function addCondition(parsed: Parsed, condition: string): Misreading[] {
  if (!closed.test(condition)) return [{ text: condition, remedy: 'Close this quote.' }];
  const [, word, values = ''] = /^([a-z]+):(.+)$/s.exec(condition) ?? [];
  const [first, second] = fields.filter((field) => field.word === word);
  const read = first ? first.kind.read(values) : [readBareText(condition)];
  return read.flatMap((each) => {
    if ('remedy' in each) return [each];
    // The word of a time stands for two fields, after and before.
    const { name, kind } = (each.sign === '<' ? second : undefined) ?? first ?? searched;
    return addValue(parsed, each, { name, takes: kind.takes });
  });
}

const searched = { name: 'text', kind: filterFields.text.kind };

function readBareText(text: string): ReadResult {
  return text.startsWith('"') ? readText(text) : { text, value: text };
}

type Slot = { readonly name: string; readonly takes: FilterKind['takes'] };

/** Returns a problem if a field that takes one value has one already. */
function addValue({ input, texts }: Parsed, { text, value, sign }: TextValue, slot: Slot): Misreading[] {
  const { name, takes } = slot;
  if (takes !== 'one') input[name] ??= takes === 'many' ? [] : {};
  const values = (takes === 'one' ? input : input[name]) as Record<string, unknown>;
  const bounds = sign === undefined ? ['min', 'max'] : [sign === '>' ? 'min' : 'max'];
  const keys = { one: [name], many: [`${values.length}`], bounds }[takes];
  if (keys.some((key) => Object.hasOwn(values, key)))
    return [{ text, remedy: 'Duplicate: keep one of them.' }];
  for (const key of keys) {
    values[key] = value;
    texts.set({ one: name, many: `${name}[${key}]`, bounds: `${name}.${key}` }[takes], text);
  }
  return [];
}

/** The text of the value that a problem names, such as `status[2]`, or of all values of a field. */
function findText({ texts }: Parsed, field: string): string {
  const isOf = (name: string) => name.startsWith(`${field}[`) || name.startsWith(`${field}.`);
  // A value has at most one problem for each text, and a field has few: all together take linear time.
  return texts.get(field) ?? [...texts].flatMap(([name, text]) => (isOf(name) ? [text] : [])).join(' ');
}
