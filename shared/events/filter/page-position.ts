import { isBigint, maxBigint } from '../event-id.ts';
import type { Filter } from './filter-schema.ts';

/**
 * The part of a list that is read: after the event `before`, to the event `until`. Each is an id and, in a
 * list by time, a time in microseconds since 1970.
 */
export type Position = {
  readonly before: string;
  readonly time: string | null;
  readonly until: string;
  readonly untilTime: string | null;
};

/** The start of the first page, and the end of the list. */
export const firstPosition: Position = { before: maxBigint, time: null, until: '0', untilTime: null };

/** A row of a list; `time` belongs to its position. */
export type PagedRow = { readonly id: string; readonly time: string | null };

/**
 * The SQL of a list, the latest first: what it is sorted by before the id, the time of an event in it, if
 * any, and the conditions that start it after a position and end it at another.
 */
type Order = {
  readonly sortedBy: string;
  readonly time: string;
  readonly isBefore: string;
  readonly isReached: string;
};

export const orders = {
  id: {
    sortedBy: 'event.id',
    time: 'null::text',
    isBefore: 'event.id < :before',
    isReached: 'event.id >= :until',
  },
  capture: byTime('event.created_at'),
  failure: byTime('event.last_failure_at'),
};

/**
 * A time after 294000 has no number, and -infinity that of the first time that PostgreSQL has. Read as a
 * text: an interval times a large number is rounded.
 */
function byTime(column: string): Order {
  const toTime = (name: string, otherwise: string) =>
    `case when :${name}::bigint <= -210866803200000000 then '-infinity' else coalesce(timestamptz 'epoch' + (:${name} || ' us')::interval, '${otherwise}') end`;
  return {
    sortedBy: column,
    time: `case when ${column} <= '294000-1-1' then (extract(epoch from greatest(${column}, '4714-11-24 00:00Z BC')) * 1000000)::bigint::text end`,
    isBefore: `(${column}, event.id) < (${toTime('time', 'infinity')}, :before)`,
    isReached: `(${column}, event.id) >= (${toTime('untilTime', '-infinity')}, :until)`,
  };
}

/**
 * Sorts by the time that a filter names, whose index has the page; else by id, which is the order of capture.
 */
export function findOrder(filter: Filter): keyof typeof orders {
  if (filter.failedAfter !== undefined || filter.failedBefore !== undefined) return 'failure';
  return filter.capturedAfter !== undefined || filter.capturedBefore !== undefined ? 'capture' : 'id';
}

/** A position as text for URLs and cursors: `7`, or `1763764645123456~7`. */
export function printPosition({ id, time }: PagedRow): string {
  return time === null ? id : `${time}~${id}`;
}

/** The position that a text of printPosition names, or undefined. */
export function parsePosition(text: string): Position | undefined {
  const [, time = null, before] = /^(?:(-?\d{1,19})~)?(\d{1,19})$/.exec(text) ?? [];
  const fits = [time?.replace('-', ''), before].every((digits = '') => isBigint(digits));
  return before !== undefined && fits ? { ...firstPosition, before, time } : undefined;
}
