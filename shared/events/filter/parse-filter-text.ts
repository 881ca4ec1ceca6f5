import { check } from '../../config/validate.ts';
import { type FilterField, fields, filterFields } from './filter-fields.ts';
import { type Filter, FilterSchema } from './filter-schema.ts';
import {
  type Misreading,
  misread,
  readBareText,
  type Span,
  type TextReader,
  type TextValue,
  take,
} from './text-reader.ts';

/** The filter of a text, or every problem with its span in the text. */
export type ParsedFilterText =
  | { readonly ok: true; readonly value: Filter }
  | { readonly ok: false; readonly problems: readonly Misreading[] };

/** The filter as JSON, and the span of each of its values under the name that a check gives it. */
type Parsed = { readonly input: Record<string, unknown>; readonly spans: Map<string, Span> };

/** Parses a filter from text such as `refused type:order.* status:open failed:>24h`. */
export function parseFilterText(text: string): ParsedFilterText {
  const parsed: Parsed = { input: {}, spans: new Map() };
  const problems = readConditions(text).flatMap((each) =>
    'remedy' in each ? [each] : addValue(parsed, each),
  );
  const checked = check(FilterSchema, parsed.input);
  if (checked.ok && problems.length === 0) return checked;
  const wrong = checked.ok ? [] : checked.problems;
  const located = wrong.map(({ field, remedy }) => ({ ...locate(parsed, field), remedy }));
  return { ok: false, problems: [...problems, ...located].sort((a, b) => a.from - b.from) };
}

const bounds = { '>': ['min'], '<': ['max'], '=': ['min', 'max'] };

/** Returns a problem if a field that takes one value has one already. */
function addValue({ input, spans }: Parsed, { name, kind, value, sign, from, to }: FieldValue): Misreading[] {
  const { takes } = kind;
  if (takes !== 'one') input[name] ??= takes === 'many' ? [] : {};
  const values = (takes === 'one' ? input : input[name]) as Record<string, unknown>;
  const keys = takes === 'one' ? [name] : takes === 'many' ? [`${values.length}`] : bounds[sign];
  if (keys.some((key) => Object.hasOwn(values, key)))
    return [{ from, to, remedy: 'Duplicate: keep one of them.' }];
  for (const key of keys) {
    values[key] = value;
    const slot = { one: name, many: `${name}[${key}]`, bounds: `${name}.${key}` }[takes];
    spans.set(slot, { from, to });
  }
  return [];
}

/** The span of the value that a problem names, such as `status[2]`, or that of all values of a field. */
function locate({ spans }: Parsed, field: string): Span {
  const isOf = (slot: string) =>
    slot === field || slot.startsWith(`${field}[`) || slot.startsWith(`${field}.`);
  const found = [...spans].flatMap(([slot, span]) => (isOf(slot) ? [span] : []));
  return { from: found[0]?.from ?? 0, to: found.at(-1)?.to ?? 0 };
}

/** A value of a text with the field that it belongs to. */
type FieldValue = TextValue & { readonly name: string; readonly kind: FilterField['kind'] };

/**
 * Splits the text of a filter into its values and its errors, in their order. Text without a known word is
 * searched.
 */
function readConditions(text: string): (FieldValue | Misreading)[] {
  const reader: TextReader = { text, at: 0 };
  const found: (FieldValue | Misreading)[] = [];
  take(reader, /\s*/y);
  while (reader.at < text.length) {
    // One by one: a call takes a limited number of arguments.
    for (const read of readCondition(reader)) found.push(read);
    const from = reader.at;
    if (take(reader, /\S+/y))
      found.push(misread(reader, from, 'Put a space before this, or quotes around it all.'));
    take(reader, /\s*/y);
  }
  return found;
}

function readCondition(reader: TextReader): (FieldValue | Misreading)[] {
  const from = reader.at;
  // A space behind the colon is no condition: `error: refused` is pasted text.
  const word = take(reader, /[a-z]+(?=:(?!\s))/y);
  const ofWord = fields.filter((field) => field.word === word);
  const [first, second] = ofWord;
  if (!first) {
    reader.at = from;
    const read = readBareText(reader);
    return ['remedy' in read ? read : { ...read, name: 'text', kind: filterFields.text.kind }];
  }
  take(reader, /:/y);
  return first.kind.read(reader).map((read) => {
    if ('remedy' in read) return read;
    // The word of a time stands for two fields, after and before.
    const { name, kind } = read.sign === '<' && second ? second : first;
    return { ...read, name, kind };
  });
}
