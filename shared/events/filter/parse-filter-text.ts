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

/** Parses a filter from text such as `refused type:order.* status:open failed:>24h`. */
export function parseFilterText(text: string): ParsedFilterText {
  const slots: Slots = new Map();
  const problems = readConditions(text).flatMap((each) =>
    'remedy' in each ? [each] : fillSlots(slots, each),
  );
  const checked = check(FilterSchema, toInput(slots));
  if (checked.ok && problems.length === 0) return checked;
  const wrong = checked.ok ? [] : checked.problems;
  const located = wrong.map(({ field, remedy }) => ({ ...locate(slots, field), remedy }));
  return { ok: false, problems: [...problems, ...located].sort((a, b) => a.from - b.from) };
}

/** The values of each field; the bounds of a range are slots of their own, such as `retryCount.min`. */
type Slots = Map<string, FieldValue[]>;

const bounds = { '>': ['.min'], '<': ['.max'], '=': ['.min', '.max'] };

/** Returns a problem if a field that takes one value has one already. */
function fillSlots(slots: Slots, fieldValue: FieldValue): Misreading[] {
  const { name, kind, sign, from, to } = fieldValue;
  const wanted = kind.takes === 'bounds' ? bounds[sign].map((bound) => name + bound) : [name];
  const isTaken = kind.takes !== 'many' && wanted.some((slot) => slots.has(slot));
  if (isTaken) return [{ from, to, remedy: 'Duplicate: keep one of them.' }];
  for (const slot of wanted) {
    const values = slots.get(slot);
    if (values) values.push(fieldValue);
    else slots.set(slot, [fieldValue]);
  }
  return [];
}

/** The same filter as JSON. */
function toInput(slots: Slots): object {
  const input: Record<string, unknown> = {};
  for (const [slot, fieldValues] of slots) {
    const [name = '', bound] = slot.split('.');
    const values = fieldValues.map(({ value }) => value);
    if (bound) input[name] = Object.assign(input[name] ?? {}, { [bound]: values[0] });
    else input[name] = fieldValues.some(({ kind }) => kind.takes === 'many') ? values : values[0];
  }
  return input;
}

/** The span of the values that a problem names, such as `status[2]`, `retryCount.min` or `retryCount`. */
function locate(slots: Slots, field: string): Span {
  const [, slot = '', index] = /^([^[]*)(?:\[(\d+)\])?/.exec(field) ?? [];
  const all = [...slots]
    .filter(([name]) => name === slot || name.startsWith(`${slot}.`))
    .flatMap(([, fieldValues]) => fieldValues);
  const spans = index === undefined ? all : all.slice(Number(index), Number(index) + 1);
  return {
    from: spans.reduce((min, { from }) => Math.min(min, from), Number.POSITIVE_INFINITY),
    to: spans.reduce((max, { to }) => Math.max(max, to), Number.NEGATIVE_INFINITY),
  };
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
