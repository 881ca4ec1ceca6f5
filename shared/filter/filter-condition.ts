import { filterFields } from './filter-fields.ts';
import type { Filter } from './filter-schema.ts';
import { resolveTime } from './filter-time.ts';

/** A boolean SQL expression over `dlq_events as event`, and the values of its placeholders in order. */
export type Condition = { readonly text: string; readonly values: unknown[] };

type Options = {
  /** Relative times count back from here. */
  readonly now: Date;
  /** The number of the first placeholder. */
  readonly first: number;
};

/** Turns a filter into SQL. Everything that a person wrote becomes a value, never text. */
export function toCondition(filter: Filter, { now, first }: Options): Condition {
  const values: unknown[] = [];
  const put: Put = (value) => `$${first + values.push(value) - 1}`;
  const parts = Object.entries(filter).map(([name, value]) => {
    const { column, kind } = filterFields[name as keyof Filter];
    return comparisons[kind](`event.${column}`, value as never, { put, now });
  });
  return { text: parts.join(' and ') || 'true', values };
}

/** Keeps a value for the statement and returns its placeholder. */
type Put = (value: unknown) => string;
type Context = { readonly put: Put; readonly now: Date };

const comparisons = {
  ids: (column: string, ids: readonly string[], { put }: Context) =>
    `${column} = any (${put(ids)}::bigint[])`,
  'one of': matchTexts,
  status: matchStatus,
  globs: matchGlobs,
  substring: (column: string, text: string, { put }: Context) =>
    `${column} ilike ${put(`%${escapeLike(text)}%`)}::text`,
  after: (column: string, time: string, { put, now }: Context) =>
    `${column} >= ${put(resolveTime(time, now))}::timestamptz`,
  before: (column: string, time: string, { put, now }: Context) =>
    `${column} < ${put(resolveTime(time, now))}::timestamptz`,
  range: stayWithin,
  contains: (column: string, json: unknown, { put }: Context) =>
    `${column} @> ${put(JSON.stringify(json))}::jsonb`,
};

/** One text is compared by itself: of a list the planner does not know that an index on more columns has it in order. */
function matchTexts(column: string, texts: readonly string[], { put }: Pick<Context, 'put'>): string {
  return texts.length === 1
    ? `${column} = ${put(texts[0])}::text`
    : `${column} = any (${put(texts)}::text[])`;
}

/** A list without `*` is compared as it is, which any index on the column can answer. */
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

/** `*` stands for any run of characters, the empty one included; everything else is literal. */
function toLikePattern(glob: string): string {
  return glob.split('*').map(escapeLike).join('%');
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/**
 * A status as the columns say it on which indexes are partial: none of these can name status itself, as every claim
 * changes it. Instead of the status and not beside it, for the planner would take both for independent.
 */
function matchStatus(column: string, statuses: readonly string[], { put }: Context): string {
  const missing = (all: readonly string[]) => all.filter((each) => !statuses.includes(each));
  const isWithin = (all: readonly string[]) => statuses.every((each) => all.includes(each));
  const except = (all: readonly string[]) =>
    missing(all).length > 0 ? [`${column} <> all (${put(missing(all))}::text[])`] : [];
  if (isWithin(['FAILED_PERMANENTLY'])) return 'event.holds_back and not event.is_open';
  if (isWithin(open)) return ['event.is_open', ...except(open)].join(' and ');
  // Not holds_back, which says the same: no index is partial on that alone, and on each side of the "or" there are.
  if (isWithin(holding))
    return ['(event.is_open or event.holds_back and not event.is_open)', ...except(holding)].join(' and ');
  return `${column} = any (${put(statuses)}::text[])`;
}

const open = ['PENDING', 'PROCESSING'];
const holding = [...open, 'FAILED_PERMANENTLY'];
