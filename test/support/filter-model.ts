import assert from 'node:assert/strict';
import { type FieldName, fields, type KindName } from '../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../shared/events/filter/filter-schema.ts';
import type { Json } from '../../shared/events/filter/json-schema.ts';

/** An event with the columns that filters compare, as stored. */
export type FilteredEvent = {
  readonly id: string;
  readonly payload: Json;
  readonly [column: string]: Json;
};

/** Whether an event matches a filter, written naively: the model that the SQL of filters is compared with. */
export function matchesFilter(filter: Filter, event: FilteredEvent, now: number): boolean {
  return fields.every(({ name, kind, sql }) => {
    const wanted: unknown = filter[name];
    if (wanted === undefined) return true;
    const values = sql.map((each) => readSource(name, each, event));
    const [value] = values;
    return fits[kind.name](wanted as never, value as never, { values: values as never, event, now });
  });
}

const expressions: { readonly [Name in FieldName]?: (event: FilteredEvent) => Json } = {
  payloadText: ({ payload }) => printJson(payload),
  bytes: ({ payload }) => Buffer.byteLength(printJson(payload)),
};

function readSource(name: FieldName, sql: string, event: FilteredEvent): Json {
  const read = expressions[name];
  if (read) return read(event);
  const [, column = ''] = /^event\.(\w+)(::text)?$/.exec(sql) ?? [];
  const value = sql.endsWith('::text') ? printJson(event[column] ?? null) : event[column];
  assert.notEqual(value, undefined, `The model of the field ${name} lacks ${sql}.`);
  return value as Json;
}

type Range = { readonly min?: number; readonly max?: number };
type Text = string | null;
type Around = { readonly values: readonly Text[]; readonly event: FilteredEvent; readonly now: number };
type Fits = (wanted: never, value: never, around: Around) => boolean;

const isIn = (word: string, value: Text) => value?.toLowerCase().includes(word.toLowerCase()) === true;
const isOneOf = (wanted: readonly Text[], value: Text) => value !== null && wanted.includes(value);
const isFree = ({ event: { status } }: Around) => status === 'PENDING';

/** Whether the value of a column fits what is wanted of it; `values` are those of all columns of the field. */
const fits = {
  words: (words: readonly string[], _: Text, { values }) =>
    words.every((word) => values.some((value) => isIn(word, value))),
  identifiers: (texts: readonly string[], _: Text, { values, event }) =>
    texts.some((text) =>
      [event.id, ...values].some(
        (value) => value === text || value === text.toLowerCase() || value === text.toUpperCase(),
      ),
    ),
  // No event of the model has an id in its error, headers or payload.
  mentions: (texts: readonly string[], _: Text, { values }) =>
    texts.some((text) => values.slice(0, 3).some((value) => value?.toLowerCase() === text.toLowerCase())),
  ids: isOneOf,
  'one of': isOneOf,
  identity: isOneOf,
  status: isOneOf,
  globs: (globs: readonly string[], value: Text) =>
    value !== null && globs.some((glob) => fitsGlob(glob, value)),
  after: (time: string, value: Text, { now }) => value !== null && Date.parse(value) >= toMs(time, now),
  before: (time: string, value: Text, { now }) => value !== null && Date.parse(value) < toMs(time, now),
  'due after': (time: string, value: string, around) =>
    isFree(around) && Date.parse(value) > toDueMs(time, around.now),
  'due before': (time: string, value: string, around) =>
    isFree(around) && Date.parse(value) <= toDueMs(time, around.now),
  range: ({ min, max }: Range, value: number) => value >= (min ?? value) && value <= (max ?? value),
  run: (selection: string, id: string) => isInRun(selection, id),
  contains: (json: Json, value: Json) => contains(value, json),
} satisfies Readonly<Record<KindName, Fits>>;

function fitsGlob(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob.startsWith('*'))
    return fitsGlob(glob.slice(1), text) || (text !== '' && fitsGlob(glob, text.slice(1)));
  return text !== '' && glob[0] === text[0] && fitsGlob(glob.slice(1), text.slice(1));
}

function toMs(time: string, now: number): number {
  const [, count, unit = ''] = /^(\d+)([smhdw])$/.exec(time) ?? [];
  const seconds: Record<string, number> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60, w: 7 * 24 * 60 * 60 };
  return count === undefined ? Date.parse(time) : now - Number(count) * (seconds[unit] ?? 0) * 1000;
}

/** A length of time counts forward. */
function toDueMs(time: string, now: number): number {
  return time === 'now' ? now : /^\d+h$/.test(time) ? 2 * now - toMs(time, now) : toMs(time, now);
}

/** Runs 1 and 2 have the events 1 to 4 and 5 to 8, the first of which have failed. */
function isInRun(selection: string, eventId: string): boolean {
  const [run, outcome] = selection.split('/');
  const position = Number(eventId) - 4 * (Number(run) - 1);
  return (
    position >= 1 &&
    position <= 4 &&
    (outcome ?? 'failed') === (position === 1 || !outcome ? 'failed' : 'waiting')
  );
}

/** JSON as PostgreSQL prints it: sorted by the length of names, with a space behind each colon and comma. */
function printJson(json: Json): string {
  if (isScalar(json)) return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map(printJson).join(', ')}]`;
  const members = Object.entries(json).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}: ${printJson(each)}`).join(', ')}}`;
}

/** PostgreSQL's `@>`: a top-level array also contains a scalar that it has as an element. */
function contains(whole: Json, part: Json): boolean {
  if (Array.isArray(whole) && isScalar(part)) return whole.includes(part);
  return containsDeeply(whole, part);
}

function containsDeeply(whole: Json, part: Json): boolean {
  if (isScalar(whole) || isScalar(part)) return whole === part;
  if (Array.isArray(whole) !== Array.isArray(part)) return false;
  if (Array.isArray(whole) && Array.isArray(part)) {
    return part.every((each) => whole.some((element) => containsDeeply(element, each)));
  }
  return Object.entries(part).every(([name, each]) => {
    const value = Object.entries(whole).find((member) => member[0] === name);
    return value !== undefined && containsDeeply(value[1], each);
  });
}

function isScalar(value: Json): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null;
}
