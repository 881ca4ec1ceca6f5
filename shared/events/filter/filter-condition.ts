import * as v from 'valibot';
import { EventIdSchema } from '../event-id.ts';
import { filterFields } from './filter-fields.ts';
import type { Filter } from './filter-schema.ts';
import { resolveDueTime, resolveTime } from './filter-time.ts';

/** A boolean SQL expression over `dlq_events as event`, and the values of its placeholders in order. */
export type Condition = { readonly text: string; readonly values: unknown[] };

/**
 * Translates a filter to SQL. Every part of the filter becomes a bind value, never text. `first` is the
 * number of the first placeholder; relative times count back from `now`.
 */
export function toCondition(
  filter: Filter,
  { now, first }: { readonly now: Date; readonly first: number },
): Condition {
  const values: unknown[] = [];
  const put: Put = (value) => `$${first + values.push(value) - 1}`;
  const parts = Object.entries(filter).map(([name, value]) => {
    const { column, kind } = filterFields[name as keyof Filter];
    const qualified = column.replaceAll(/[^ ]+/g, 'event.$&');
    return comparisons[kind](qualified, value as never, { put, now });
  });
  return { text: parts.join(' and ') || 'true', values };
}

/** Adds a bind value and returns its placeholder. */
type Put = (value: unknown) => string;
type Context = { readonly put: Put; readonly now: Date };

const comparisons = {
  ids: (column: string, ids: readonly string[], { put }: Context) =>
    `${column} = any (${put(ids)}::bigint[])`,
  words: matchWords,
  identifiers: matchIdentifiers,
  'one of': matchTexts,
  status: matchStatus,
  globs: matchGlobs,
  substring: (column: string, text: string, { put }: Context) =>
    `${column} ilike ${put(`%${escapeLike(text)}%`)}::text`,
  after: (column: string, time: string, { put, now }: Context) =>
    `${column} >= ${put(resolveTime(time, now))}::timestamptz`,
  before: (column: string, time: string, { put, now }: Context) =>
    `${column} < ${put(resolveTime(time, now))}::timestamptz`,
  'due after': (column: string, time: string, { put, now }: Context) =>
    `${isFree} and ${column} > ${put(resolveDueTime(time, now))}::timestamptz`,
  'due before': (column: string, time: string, { put, now }: Context) =>
    `${isFree} and ${column} <= ${put(resolveDueTime(time, now))}::timestamptz`,
  range: stayWithin,
  run: matchRun,
  contains: (column: string, json: unknown, { put }: Context) =>
    `${column} @> ${put(JSON.stringify(json))}::jsonb`,
};

/** As in claims: only an event that is being delivered has a lease. */
const isFree = 'event.is_open and coalesce(event.lease_expires_at <= now(), true)';

/** An array, not a join: without statistics about a new run, the planner would join it with all events. */
function matchRun(column: string, selection: string, { put }: Context): string {
  const [run, outcome] = selection.split('/');
  const ofOutcome = outcome === undefined ? '' : ` and outcome = ${put(outcome)}::text`;
  return `${column} = any (array(select event_id from dlq_run_events where run_id = ${put(run)}::bigint${ofOutcome}))`;
}

/**
 * A single text is compared with `=`: for `= any` the planner does not use the order of a multi-column index.
 */
function matchTexts(column: string, texts: readonly string[], { put }: Pick<Context, 'put'>): string {
  return texts.length === 1
    ? `${column} = ${put(texts[0])}::text`
    : `${column} = any (${put(texts)}::text[])`;
}

/**
 * Each word is in one of the columns, which are compared as one text: one comparison costs less than one for
 * each column. Between them is a character that no word has.
 */
function matchWords(columns: string, words: readonly string[], { put }: Context): string {
  const separator = `${put('\u001f')}::text`;
  const all = columns.split(' ').map((column) => `coalesce(${column}, ${separator})`);
  const text = `(${all.join(` || ${separator} || `)})`;
  return words.map((word) => `${text} ilike ${put(`%${escapeLike(word)}%`)}::text`).join(' and ');
}

/**
 * Compared with `=`, which the index on each column answers; ids in digits are compared with the primary key
 * as well.
 */
function matchIdentifiers(columns: string, texts: readonly string[], { put }: Context): string {
  const spellings = put([
    ...new Set(texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()])),
  ]);
  const ids = texts.filter((text) => v.is(EventIdSchema, text));
  const either = [
    ...columns.split(' ').map((column) => `${column} = any (${spellings}::text[])`),
    ...(ids.length > 0 ? [`event.id = any (${put(ids)}::bigint[])`] : []),
  ];
  return `(${either.join(' or ')})`;
}

/** Globs without `*` are compared with `=`, which any index on the column can answer. */
function matchGlobs(column: string, globs: readonly string[], { put }: Context): string {
  const exact = globs.filter((glob) => !glob.includes('*'));
  const patterns = globs.filter((glob) => glob.includes('*')).map(toLikePattern);
  const either = [
    ...(exact.length > 0 ? [matchTexts(column, exact, { put })] : []),
    ...(patterns.length > 0 ? [`${column} like any (${put(patterns)}::text[])`] : []),
  ];
  return `(${either.join(' or ')})`;
}

function stayWithin(column: string, range: { min?: number; max?: number }, { put }: Context): string {
  const { min, max } = range;
  const bounds = [
    ...(min === undefined ? [] : [`${column} >= ${put(min)}::integer`]),
    ...(max === undefined ? [] : [`${column} <= ${put(max)}::integer`]),
  ];
  return bounds.join(' and ');
}

/** The pattern of a glob for LIKE: `*` matches any characters or none; all others match themselves. */
export function toLikePattern(glob: string): string {
  return glob.split('*').map(escapeLike).join('%');
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/**
 * A status, expressed by the generated columns of the partial indexes: these cannot name `status` itself,
 * because every claim changes it. They replace the status instead of joining it, because the planner would
 * assume independence.
 */
function matchStatus(column: string, statuses: readonly string[], { put }: Context): string {
  const missing = (all: readonly string[]) => all.filter((each) => !statuses.includes(each));
  const isWithin = (all: readonly string[]) => statuses.every((each) => all.includes(each));
  const except = (all: readonly string[]) => missing(all).map((each) => `${column} <> ${put(each)}::text`);
  if (isWithin(['FAILED_PERMANENTLY'])) return 'event.is_blocking and not event.is_open';
  if (isWithin(open)) return ['event.is_open', ...except(open)].join(' and ');
  // Equivalent to is_blocking, on which alone no index is partial; each side of the "or" has one.
  if (isWithin(blocking))
    return ['(event.is_open or event.is_blocking and not event.is_open)', ...except(blocking)].join(' and ');
  return `${column} = any (${put(statuses)}::text[])`;
}

const open = ['PENDING', 'PROCESSING'];
const blocking = [...open, 'FAILED_PERMANENTLY'];
