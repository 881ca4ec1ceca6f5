import type { Database } from './database.ts';
import type { Filter } from './filter/filter-schema.ts';
import { type FilteredStatement, filteredStatement } from './filtered-statement.ts';
import { largestId, mayBeId } from './largest-id.ts';
import { readSql } from './read-sql.ts';

/** Where a page begins: behind the event of this id and, in a list by time, of this time in microseconds since 1970. */
export type Position = { readonly before: string; readonly time: string | null };

export const firstPosition: Position = { before: largestId, time: null };

type Page = Position & { readonly most: number | null };

/** A row of a list: `time` is that of its position. */
type Listed = { readonly id: string; readonly time: string | null };

/** What the words of a statement stand for. */
type Order = { readonly time: string; readonly isBefore: string; readonly latestFirst: string };

const orders = {
  id: { time: 'null::text', isBefore: 'event.id < :before', latestFirst: 'event.id desc' },
  capture: byTime('event.created_at'),
  failure: byTime('event.last_failure_at'),
};

/** A time that is not finite has no number: behind it is the first page. */
function byTime(column: string): Order {
  const time = `coalesce(timestamptz 'epoch' + :time::bigint * interval '1 microsecond', 'infinity')`;
  return {
    time: `case when isfinite(${column}) then (extract(epoch from ${column}) * 1000000)::bigint::text end`,
    isBefore: `(${column}, event.id) < (${time}, :before)`,
    latestFirst: `${column} desc, event.id desc`,
  };
}

/** By the time that a filter asks about, whose index has the page. Else by id, which is the order of capture as well. */
export function findOrder(filter: Filter): keyof typeof orders {
  if (filter.failedAfter !== undefined || filter.failedBefore !== undefined) return 'failure';
  return filter.capturedAfter !== undefined || filter.capturedBefore !== undefined ? 'capture' : 'id';
}

/**
 * A filtered statement that lists events, the latest first. In it `:time`, `:isBefore` and `:latestFirst` stand for the
 * time by which the list is in order, if it is by one, for what comes before a position, and for the order.
 */
/* @__NO_SIDE_EFFECTS__ */
export function latestFirst<Row extends Listed>(
  name: string,
  sql = readSql(name),
): FilteredStatement<Page, Row> {
  const compose = (order: Order) => {
    const listing = sql.replace(':time', order.time).replace(':isBefore', order.isBefore);
    return filteredStatement<Page, Row>(name, listing.replace(':latestFirst', order.latestFirst));
  };
  const statements = {
    id: compose(orders.id),
    capture: compose(orders.capture),
    failure: compose(orders.failure),
  };
  const run = (db: Database, filter: Filter, page: Page) => statements[findOrder(filter)](db, filter, page);
  const explain = (db: Database, filter: Filter, page: Page) =>
    statements[findOrder(filter)].explain(db, filter, page);
  return Object.assign(run, { explain });
}

/** A position as it stands in addresses and cursors: `7`, or `1763764645123456~7`. */
export function printPosition({ id, time }: Listed): string {
  return time === null ? id : `${time}~${id}`;
}

export function parsePosition(text: string): Position | undefined {
  const [, time = null, before] = /^(?:(-?\d{1,18})~)?(\d{1,19})$/.exec(text) ?? [];
  return before !== undefined && mayBeId(before) ? { before, time } : undefined;
}
