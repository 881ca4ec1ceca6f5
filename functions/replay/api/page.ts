import * as v from 'valibot';
import { EventIdSchema, maxBigint } from '../../../shared/events/event-id.ts';

/**
 * The start of a page: an id unless the list says otherwise, and the time that relative times count back from, which is
 * the same on all pages.
 */
export type PageStart = { readonly before: string; readonly now: Date };

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

/** The start that a cursor encodes, or that of the first page. */
export function readStart(cursor: string | undefined, now: Date): PageStart {
  return (cursor === undefined ? undefined : decode(cursor)) ?? { before: maxBigint, now };
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

function decode(cursor: string): PageStart | undefined {
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
