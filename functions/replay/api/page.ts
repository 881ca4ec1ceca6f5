import * as v from 'valibot';
import { wholeNumberText } from '../../../shared/config/whole-number.ts';
import { EventIdSchema } from '../../../shared/events/event-id.ts';
import type { ApiRequest } from './operation.ts';

/** The position behind which a page starts, and the time of the first page. */
type Cursor = { readonly before: string; readonly now: Date };

const cursorRemedy = 'Give the "next" of the page before, as it is, or leave it out.';

/** The query parameters of every list. */
export const pageQuery = {
  limit: v.optional(wholeNumberText(1, 500), '50'),
  cursor: cursorOf((before) => v.is(EventIdSchema, before)),
};

/** A cursor whose position `isPosition` accepts. */
export function cursorOf(isPosition: (before: string) => boolean) {
  return v.optional(
    v.pipe(
      v.string(),
      v.check((cursor) => isPosition(decodeCursor(cursor)?.before ?? ''), cursorRemedy),
      v.description('The `next` of the page before.'),
      v.transform(decodeCursor),
    ),
  );
}

type PageTerms = { readonly limit: number; readonly cursor?: Cursor | undefined };

/**
 * Returns the terms of a list, the position behind which the page starts (undefined for the first page), and the page.
 * Relative times count back from its `now`, which is the same on all pages.
 */
export function readPage<Terms extends PageTerms>({
  query,
  now,
}: Pick<ApiRequest<unknown, Terms>, 'query' | 'now'>) {
  const { limit, cursor, ...terms } = query;
  return { terms, start: cursor?.before, page: { limit, now: cursor?.now ?? now } };
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

function decodeCursor(cursor: string): Cursor | undefined {
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
