import type * as v from 'valibot';
import { DueTimeSchema, FilterTimeSchema, findDay, resolveDueTime, resolveTime } from '../../time-text.ts';
import { defineKind, type FieldSource } from './filter-kind.ts';
import type { ReadResult } from './text-values.ts';

/** As in claims: only an event that is being delivered has a lease. */
const isFree = 'event.is_open and coalesce(event.lease_expires_at <= now(), true) and ';

type Time = v.GenericSchema<string>;
const past = { schema: FilterTimeSchema as Time, values: 'time', read: readTime, freeze: resolveTime };
const due = { schema: DueTimeSchema as Time, values: 'due time', read: readDueTime, freeze: resolveDueTime };

const timeKind = <const Name extends string>(
  name: Name,
  [sign, operator]: readonly ['<' | '>', string],
  of: typeof past,
) =>
  defineKind({
    ...of,
    name,
    takes: 'one',
    compare: ([sql], time, { put, now }) =>
      `${of === due ? isFree : ''}${sql} ${operator} ${put(of.freeze(time, now))}::timestamptz`,
    print: (time) => [`${sign}${time}`],
  });
const after = timeKind('after', ['>', '>='], past);
const before = timeKind('before', ['<', '<'], past);
export const dueAfter = timeKind('due after', ['>', '>'], due);
export const dueBefore = timeKind('due before', ['<', '<='], due);

type Period<Word extends string> = Readonly<
  Record<`${Word}After`, ReturnType<typeof after>> & Record<`${Word}Before`, ReturnType<typeof before>>
>;

/** The two fields of a time, such as `failedAfter` and `failedBefore`. */
export function period<const Word extends string>(word: Word, source: FieldSource, happened: string) {
  return {
    [`${word}After`]: after(source, `${word}:>24h`, `${happened} at this time or later.`),
    [`${word}Before`]: before(source, `${word}:<24h`, `${happened} before this time.`),
  } as Period<Word>;
}

function readTime(text: string): ReadResult[] {
  const [, sign, time] = /^([<>])=?(.+)$/s.exec(text) ?? [];
  if (time !== undefined) return [{ text, value: time, sign: sign === '<' ? '<' : '>' }];
  const [after, before] = findDay(text) ?? [];
  if (after === undefined) return [{ text, remedy: timeRemedy }];
  const start = { text, value: after, sign: '>' } as const;
  return before === undefined ? [start] : [start, { text, value: before, sign: '<' }];
}

const timeRemedy =
  'Write > or < before a time: >24h is in the last 24 hours, <24h before that. A day needs none: yesterday.';

/** `due:now` and `due:5m` are due by then, `due:>1h` later than that. */
function readDueTime(text: string): ReadResult[] {
  return /^(now|\d[smhdw\d]*)$/.test(text) ? [{ text, value: text, sign: '<' }] : readTime(text);
}
