import fc from 'fast-check';
import * as v from 'valibot';
import { type FieldName, fields, type KindName } from '../../shared/events/filter/filter-fields.ts';
import { type Filter, FilterSchema } from '../../shared/events/filter/filter-schema.ts';
import type { Json } from '../../shared/events/filter/json-schema.ts';
import { statuses } from '../../shared/message/event.ts';
import type { FilteredEvent } from './filter-model.ts';

/** The current time for generated filters. */
export const now = new Date('2025-11-21T12:00:00.000Z');

// Few letters, so that filters often match; some are special in LIKE, in SQL and in JSON.
const letter = fc.constantFrom('a', 'B', 'b', '%', '_', '\\', '\\', "'", '"', ' ', 'é', 'É', '\n', '*', '😀');
const text = fc.string({ unit: letter, maxLength: 4 });
const filledText = fc.string({ unit: letter, minLength: 1, maxLength: 3 });
const glob = fc.string({ unit: fc.oneof(letter, fc.constant('*')), minLength: 1, maxLength: 3 });

const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 0, 1, 1.5, -2, 'a', 'B', ''),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('json'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).json;
const jsonObject = fc.dictionary(fc.constantFrom('a', 'b'), json, { maxKeys: 2, noNullPrototype: true });

const hour = 3_600_000;
const recentMs = fc.integer({ min: -50, max: 2 }).map((hours) => now.getTime() + hours * hour);
const isoTime = recentMs.map((ms) => new Date(ms).toISOString());
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 });

const valueOfKind = {
  words: maybe(text),
  identifiers: maybe(text),
  mentions: maybe(text),
  ids: text,
  'one of': maybe(text),
  identity: maybe(text),
  globs: maybe(text),
  status: fc.constantFrom(...statuses),
  after: isoTime,
  before: isoTime,
  'due after': isoTime,
  'due before': isoTime,
  range: fc.integer({ min: 1, max: 3 }),
  run: text,
  contains: json,
} satisfies Readonly<Record<KindName, fc.Arbitrary<unknown>>>;

/** The columns that fields compare. */
const columns = fields.flatMap(({ kind, sql }) =>
  sql.flatMap((each): [string, fc.Arbitrary<Json>][] =>
    /^event\.\w+$/.test(each) ? [[each.slice('event.'.length), valueOfKind[kind.name]]] : [],
  ),
);
const filled = { event_type: text, error_reason: text, source_kind: text, headers: jsonObject };

/** Any event; whoever stores it gives it an id. */
export const anyFilteredEvent: fc.Arbitrary<FilteredEvent> = fc
  .record({ ...Object.fromEntries(columns), occurred_at: maybe(isoTime), ...filled })
  .chain((event) => json.map((payload) => ({ ...event, id: '', payload })));

const list = <Item>(item: fc.Arbitrary<Item>) =>
  fc.oneof(item, fc.array(item, { minLength: 1, maxLength: 3 }));
const time = fc.oneof(
  recentMs.map((ms) => new Date(ms).toISOString()),
  recentMs.map((ms) => new Date(ms + 2 * hour).toISOString().replace('.000Z', '+02:00')),
  recentMs.map((ms) => new Date(ms).toISOString().slice(0, 10)),
  fc.integer({ min: 0, max: 50 }).map((hours) => `${hours}h`),
  fc.integer({ min: 0, max: 3 }).map((days) => `${days}d`),
  fc.integer({ min: 0, max: 9999 }).map((minutes) => `${minutes}m`),
);
const dueTime = fc.oneof(
  recentMs.map((ms) => new Date(ms).toISOString()),
  fc.constant('now'),
  fc.integer({ min: 0, max: 3 }).map((hours) => `${hours}h`),
);
const bound = fc.integer({ min: 1, max: 3 });

const inputOfKind = {
  words: list(filledText),
  identifiers: list(fc.oneof(filledText, fc.constantFrom('1', '2', '11'))),
  mentions: list(fc.constantFrom('ORD-10231', 'ORD-10232')),
  ids: list(fc.integer({ min: 1, max: 12 })),
  'one of': list(filledText),
  identity: list(filledText),
  globs: list(glob),
  status: list(fc.constantFrom(...statuses)),
  after: time,
  before: time,
  'due after': dueTime,
  'due before': dueTime,
  range: fc.record({ min: bound, max: bound }, { requiredKeys: [] }),
  run: fc.constantFrom('1', '2', '1/failed', '1/waiting', '2/delivered'),
  contains: json,
} satisfies Readonly<Record<KindName, fc.Arbitrary<unknown>>>;

const inputs = new Map(fields.map(({ name, kind }) => [name, inputOfKind[kind.name]]));
inputs.set('headers', jsonObject);

const names = [...inputs.keys()];
const inputOf = (chosen: fc.Arbitrary<readonly FieldName[]>) =>
  chosen
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((name) => [name, inputs.get(name) ?? fc.string()]))),
    )
    // Excludes filters that contradict themselves.
    .filter((input) => v.is(FilterSchema, input));
const toFilter = (input: unknown): Filter => v.parse(FilterSchema, input);

/** Any filter as a client may send it. */
export const anyFilterInput = inputOf(fc.subarray(names));

/** Any filter. */
export const anyWholeFilter = anyFilterInput.map(toFilter);

/** A filter of up to three conditions: with many of them almost no event would match. */
export const anyFilter = inputOf(fc.subarray(names, { maxLength: 3 })).map(toFilter);
