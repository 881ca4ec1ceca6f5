import * as v from 'valibot';
import { EventIdSchema } from '../../../shared/events/event-id.ts';
import { checkQuery } from './check-input.ts';
import type { ApiRequest } from './operation.ts';

const limitRemedy = 'Give a whole number from 1 to 500.';
const cursorRemedy = 'Give the "next" of the page before, as it is, or leave it out.';

/** The query parameters of every list. */
export const pageEntries = {
  limit: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 500, limitRemedy),
      v.metadata({ type: 'integer', minimum: 1, maximum: 500, default: 50 }),
      v.transform(Number),
    ),
    '50',
  ),
  cursor: cursorOf((before) => v.is(EventIdSchema, before)),
};

/** A cursor whose start `isStart` accepts. */
export function cursorOf(isStart: (before: string) => boolean) {
  const isCursor = (cursor: string) => isStart(decode(cursor)?.before ?? '');
  return v.optional(
    v.pipe(v.string(), v.check(isCursor, cursorRemedy), v.description('The `next` of the page before.')),
  );
}

/** The query of a list without terms of its own. */
export const pageQuery = v.strictObject(pageEntries);

type PageTerms = { readonly limit: number; readonly cursor?: string | undefined };

/**
 * Reads the query of a list: its own terms, the position behind which the page starts (undefined for the first page), and
 * the page. Relative times count back from its `now`, which is the same on all pages. Throws InputError.
 */
export function readPage<Terms extends PageTerms>(
  schema: v.GenericSchema<unknown, Terms>,
  request: Pick<ApiRequest, 'query' | 'now'>,
) {
  const { limit, cursor, ...terms } = checkQuery(schema, request.query);
  const { before: start, now } = decode(cursor ?? '') ?? { now: request.now };
  return { terms, start, page: { limit, now } };
}

type PageOptions<Row> = {
  readonly limit: number;
  readonly now: Date;
  /** Prints the position of a row, behind which the next page starts; by default its id. */
  readonly print?: (row: Row) => string;
};

/** A page of `limit` items. `rows` has one more if there is a next page, and then `next` is its cursor. */
export function toPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { limit, now, print = ({ id }) => id }: PageOptions<Row>,
) {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const next = last ? Buffer.from(`${print(last)} ${now.toISOString()}`).toString('base64url') : null;
  return { items, next };
}

function decode(cursor: string): { readonly before: string; readonly now: Date } | undefined {
  const [before = '', at = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const now = new Date(at);
  return Number.isNaN(now.getTime()) ? undefined : { before, now };
}

/** The response schema of a list. */
export function pageOf<Item extends v.GenericSchema>(item: Item) {
  const next = v.pipe(
    v.nullable(v.string()),
    v.description('The cursor of the next page; null on the last.'),
  );
  return v.strictObject({ items: v.array(item), next });
}
