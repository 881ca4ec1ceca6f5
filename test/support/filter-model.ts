import type { Filter } from '../../shared/events/filter/filter-schema.ts';
import type { Json } from '../../shared/events/filter/json-schema.ts';

/** The columns of an event that filters compare, as stored; times in milliseconds. */
export type FilteredEvent = {
  readonly id: string;
  readonly event_type: string;
  readonly status: string;
  readonly error_reason: string;
  readonly error_class: string | null;
  readonly answer: string | null;
  readonly fingerprint: string | null;
  readonly source_kind: string;
  readonly source_topic: string | null;
  readonly source_subscription: string | null;
  readonly consumer_group: string | null;
  readonly source_key: string | null;
  readonly event_id: string | null;
  readonly trace_id: string | null;
  readonly created_at: number;
  readonly last_failure_at: number;
  readonly occurred_at: number | null;
  readonly retry_after: number;
  readonly retry_count: number;
  readonly failure_count: number;
  readonly priority: number;
  readonly payload: Json;
  readonly headers: Json;
};

/** Whether an event matches a filter, written naively: the model that the SQL of filters is compared with. */
export function matchesFilter(filter: Filter, event: FilteredEvent, now: number): boolean {
  const isOneOf = (values: readonly string[] | undefined, value: string | null) =>
    values === undefined || (value !== null && values.includes(value));
  const fitsGlobs = (globs: readonly string[] | undefined, value: string | null) =>
    globs === undefined || (value !== null && globs.some((glob) => fitsGlob(glob, value)));
  const isAfter = (time: string | undefined, value: number | null) =>
    time === undefined || (value !== null && value >= toMs(time, now));
  const isBefore = (time: string | undefined, value: number | null) =>
    time === undefined || (value !== null && value < toMs(time, now));
  const isWithin = (range: { min?: number; max?: number } | undefined, value: number) =>
    value >= (range?.min ?? value) && value <= (range?.max ?? value);
  const { event_type, error_class, error_reason, consumer_group, source_key, event_id, trace_id } = event;
  const isIn = (word: string, value: string | null) => value?.toLowerCase().includes(word.toLowerCase());
  const searched = [event_type, error_class, error_reason, consumer_group, source_key, event_id, trace_id];
  return (
    (filter.text ?? []).every((word) => searched.some((value) => isIn(word, value))) &&
    (filter.identifier === undefined ||
      filter.identifier.some((text) =>
        [event.id, event_id, source_key, trace_id].some(
          (value) => value === text || value === text.toLowerCase() || value === text.toUpperCase(),
        ),
      )) &&
    isIn(filter.payloadText ?? '', printJson(event.payload)) !== false &&
    isOneOf(filter.ids, event.id) &&
    fitsGlobs(filter.eventType, event.event_type) &&
    isOneOf(filter.status, event.status) &&
    event.error_reason.toLowerCase().includes((filter.errorText ?? '').toLowerCase()) &&
    (filter.answer === undefined || isIn(filter.answer, event.answer) === true) &&
    fitsGlobs(filter.errorClass, event.error_class) &&
    isOneOf(filter.fingerprint, event.fingerprint) &&
    fitsGlobs(filter.sourceKind, event.source_kind) &&
    fitsGlobs(filter.sourceTopic, event.source_topic) &&
    fitsGlobs(filter.sourceSubscription, event.source_subscription) &&
    fitsGlobs(filter.consumerGroup, event.consumer_group) &&
    isOneOf(filter.key, event.source_key) &&
    isOneOf(filter.eventId, event.event_id) &&
    isOneOf(filter.traceId, event.trace_id) &&
    isAfter(filter.capturedAfter, event.created_at) &&
    isBefore(filter.capturedBefore, event.created_at) &&
    isAfter(filter.failedAfter, event.last_failure_at) &&
    isBefore(filter.failedBefore, event.last_failure_at) &&
    isAfter(filter.occurredAfter, event.occurred_at) &&
    isBefore(filter.occurredBefore, event.occurred_at) &&
    (filter.dueAfter === undefined ||
      (event.status === 'PENDING' && event.retry_after > toDueMs(filter.dueAfter, now))) &&
    (filter.dueBefore === undefined ||
      (event.status === 'PENDING' && event.retry_after <= toDueMs(filter.dueBefore, now))) &&
    (filter.run === undefined || isInRun(filter.run, event.id)) &&
    isWithin(filter.retryCount, event.retry_count) &&
    isWithin(filter.failureCount, event.failure_count) &&
    isWithin(filter.priority, event.priority) &&
    (filter.payload === undefined || contains(event.payload, filter.payload)) &&
    (filter.headers === undefined || contains(event.headers, filter.headers))
  );
}

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
