import { check } from '../validate.ts';
import type { FilterField } from './filter-fields.ts';
import { type Filter, FilterSchema } from './filter-schema.ts';
import { type Given, readConditions } from './read-conditions.ts';
import type { Misreading, Span } from './text-reader.ts';

/** The filter that a text means, or everything that is wrong with the text, each with its place in it. */
export type ParsedFilterText =
  | { readonly ok: true; readonly value: Filter }
  | { readonly ok: false; readonly problems: readonly Misreading[] };

/** Reads a filter from text such as `type:order.* status:PENDING error:"timed out" failed:>24h payload:{"a": 1}`. */
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

/** What was given for each field; for the bounds of a range by themselves, as in `retryCount.min`. */
type Slots = Map<string, Given[]>;

const lists: readonly FilterField['kind'][] = ['ids', 'status', 'one of', 'globs'];
const bounds = { '>': ['.min'], '<': ['.max'], '=': ['.min', '.max'] };

/** Returns a problem where a field that takes one value has one already. */
function fillSlots(slots: Slots, given: Given): Misreading[] {
  const { name, kind, sign, from, to } = given;
  const wanted = kind === 'range' ? bounds[sign].map((bound) => name + bound) : [name];
  const isTaken = !lists.includes(kind) && wanted.some((slot) => slots.has(slot));
  if (isTaken) return [{ from, to, remedy: 'Given twice: keep one of them.' }];
  for (const slot of wanted) {
    const values = slots.get(slot);
    if (values) values.push(given);
    else slots.set(slot, [given]);
  }
  return [];
}

/** The filter as JSON would have it. */
function toInput(slots: Slots): object {
  const input: Record<string, unknown> = {};
  for (const [slot, given] of slots) {
    const [name = '', bound] = slot.split('.');
    const values = given.map(({ value }) => value);
    if (bound) input[name] = Object.assign(input[name] ?? {}, { [bound]: values[0] });
    else input[name] = given.some(({ kind }) => lists.includes(kind)) ? values : values[0];
  }
  return input;
}

/** Where the values stand that a problem is about, such as that of `status[2]`, `retryCount.min` or `retryCount`. */
function locate(slots: Slots, field: string): Span {
  const [, slot = '', index] = /^([^[]*)(?:\[(\d+)\])?/.exec(field) ?? [];
  const all = [...slots]
    .filter(([name]) => name === slot || name.startsWith(`${slot}.`))
    .flatMap(([, given]) => given);
  const spans = index === undefined ? all : all.slice(Number(index), Number(index) + 1);
  return {
    from: Math.min(...spans.map(({ from }) => from)),
    to: Math.max(...spans.map(({ to }) => to)),
  };
}
