import fc from 'fast-check';
import * as v from 'valibot';
import { type Filter, FilterSchema } from '../../shared/events/filter/filter-schema.ts';
import type { Json } from '../../shared/events/filter/json-schema.ts';
import type { FilteredEvent } from './filter-model.ts';

/** The current time for generated filters. */
export const now = new Date('2025-11-21T12:00:00.000Z');

const statuses = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] as const;

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
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 });

/** Events without their ids. */
export const anyFilteredEvent: fc.Arbitrary<Omit<FilteredEvent, 'id'>> = fc.record({
  event_type: text,
  status: fc.constantFrom(...statuses),
  error_reason: text,
  error_class: maybe(text),
  answer: maybe(text),
  fingerprint: maybe(text),
  source_kind: text,
  source_topic: maybe(text),
  source_subscription: maybe(text),
  consumer_group: maybe(text),
  source_key: maybe(text),
  event_id: maybe(text),
  trace_id: maybe(text),
  created_at: recentMs,
  last_failure_at: recentMs,
  occurred_at: maybe(recentMs),
  retry_after: recentMs,
  retry_count: fc.nat(3),
  failure_count: fc.integer({ min: 1, max: 3 }),
  priority: fc.integer({ min: -2, max: 2 }),
  payload: json,
  headers: jsonObject,
});

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
const range = (min: number, max: number) => {
  const bound = fc.integer({ min, max });
  return fc.record({ min: bound, max: bound }, { requiredKeys: [] });
};

/** Any input of a field. */
const inputs = {
  text: list(filledText),
  identifier: list(fc.oneof(filledText, fc.constantFrom('1', '2', '11'))),
  ids: list(fc.integer({ min: 1, max: 12 })),
  eventType: list(glob),
  status: list(fc.constantFrom(...statuses)),
  errorText: filledText,
  answer: filledText,
  errorClass: list(glob),
  fingerprint: list(filledText),
  sourceKind: list(glob),
  sourceTopic: list(glob),
  sourceSubscription: list(glob),
  consumerGroup: list(glob),
  key: list(filledText),
  eventId: list(filledText),
  traceId: list(filledText),
  capturedAfter: time,
  capturedBefore: time,
  failedAfter: time,
  failedBefore: time,
  occurredAfter: time,
  occurredBefore: time,
  dueAfter: dueTime,
  dueBefore: dueTime,
  retryCount: range(0, 3),
  failureCount: range(1, 3),
  priority: range(-2, 2),
  run: fc.constantFrom('1', '2', '1/failed', '1/waiting', '2/delivered'),
  payload: json,
  payloadText: filledText,
  headers: jsonObject,
} satisfies Readonly<Record<keyof Filter, fc.Arbitrary<unknown>>>;

const names = Object.keys(inputs) as (keyof Filter)[];
const inputOf = (fields: fc.Arbitrary<readonly (keyof Filter)[]>) =>
  fields
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, inputs[name]]))))
    // Excludes filters that contradict themselves.
    .filter((input) => v.is(FilterSchema, input));
const toFilter = (input: unknown): Filter => v.parse(FilterSchema, input);

/** Any filter as a client may send it. */
export const anyFilterInput = inputOf(fc.subarray(names));

/** Any filter. */
export const anyWholeFilter = anyFilterInput.map(toFilter);

/** A filter of up to three conditions: with many of them almost no event would match. */
export const anyFilter = inputOf(fc.subarray(names, { maxLength: 3 })).map(toFilter);
