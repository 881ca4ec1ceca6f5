import { DueTimeSchema, FilterTimeSchema, findDay, resolveDueTime, resolveTime } from '../../time-text.ts';
import { defineKind, type Source } from './filter-kind.ts';
import { misread, type ReadResult, type TextReader, take } from './text-reader.ts';

const timeKind = <const Name extends string>(name: Name, sign: '<' | '>', operator: '<' | '>=') =>
  defineKind({
    name,
    schema: FilterTimeSchema,
    values: 'time',
    takes: 'one',
    compare: ([sql], time, { put, now }) => `${sql} ${operator} ${put(resolveTime(time, now))}::timestamptz`,
    read: readTime,
    print: (time) => [`${sign}${time}`],
    freeze: resolveTime,
  });
const after = timeKind('after', '>', '>=');
const before = timeKind('before', '<', '<');

type Period<Word extends string> = Readonly<
  Record<`${Word}After`, ReturnType<typeof after>> & Record<`${Word}Before`, ReturnType<typeof before>>
>;

/** The two fields of a time, such as `failedAfter` and `failedBefore`. */
export function period<const Word extends string>(word: Word, source: Source, happened: string) {
  return {
    [`${word}After`]: after(source, `${word}:>24h`, `${happened} at this time or later.`),
    [`${word}Before`]: before(source, `${word}:<24h`, `${happened} before this time.`),
  } as Period<Word>;
}

/** As in claims: only an event that is being delivered has a lease. */
const isFree = 'event.is_open and coalesce(event.lease_expires_at <= now(), true)';

const dueKind = <const Name extends string>(name: Name, sign: '<' | '>', operator: '<=' | '>') =>
  defineKind({
    name,
    schema: DueTimeSchema,
    values: 'due time',
    takes: 'one',
    compare: ([sql], time, { put, now }) =>
      `${isFree} and ${sql} ${operator} ${put(resolveDueTime(time, now))}::timestamptz`,
    read: readDueTime,
    print: (time) => [`${sign}${time}`],
    freeze: resolveDueTime,
  });
export const dueAfter = dueKind('due after', '>', '>');
export const dueBefore = dueKind('due before', '<', '<=');

function readTime(reader: TextReader): ReadResult[] {
  const from = reader.at;
  const [sign, time] = [take(reader, /[<>]=?/y)?.[0], take(reader, /[^\s"]+/y)];
  const span = { from, to: reader.at };
  if (sign && time) return [{ ...span, value: time, sign: sign === '<' ? '<' : '>' }];
  const [after, before] = (time === undefined ? undefined : findDay(time)) ?? [];
  if (after === undefined) return [misread(reader, from, timeRemedy)];
  const start = { ...span, value: after, sign: '>' } as const;
  return before === undefined ? [start] : [start, { ...span, value: before, sign: '<' }];
}

const timeRemedy =
  'Write > or < before a time: >24h is in the last 24 hours, <24h before that. A day needs none: yesterday.';

/** `due:now` and `due:5m` are due by then, `due:>1h` later than that. */
function readDueTime(reader: TextReader): ReadResult[] {
  const from = reader.at;
  const time = take(reader, /(now|\d[smhdw\d]*)(?=\s|$)/y);
  return time === undefined ? readTime(reader) : [{ from, to: reader.at, value: time, sign: '<' }];
}
