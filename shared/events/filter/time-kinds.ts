import { DueTimeSchema, FilterTimeSchema, findDay, resolveDueTime, resolveTime } from '../../time-text.ts';
import { defineKind, type Source, type SqlContext } from './filter-kind.ts';
import { misread, type ReadResult, type TextReader, take } from './text-reader.ts';

const times = { schema: FilterTimeSchema, values: 'time', takes: 'one', freeze: resolveTime } as const;

const after = defineKind({
  ...times,
  name: 'after',
  compare: ([sql], time, { put, now }) => `${sql} >= ${put(resolveTime(time, now))}::timestamptz`,
  read: readTime,
  print: (time) => [`>${time}`],
});

const before = defineKind({
  ...times,
  name: 'before',
  compare: ([sql], time, { put, now }) => `${sql} < ${put(resolveTime(time, now))}::timestamptz`,
  read: readTime,
  print: (time) => [`<${time}`],
});

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

const due = { schema: DueTimeSchema, values: 'due time', takes: 'one', freeze: resolveDueTime } as const;

/** As in claims: only an event that is being delivered has a lease. */
const isFree = 'event.is_open and coalesce(event.lease_expires_at <= now(), true)';
const putDue = (time: string, { put, now }: SqlContext) => `${put(resolveDueTime(time, now))}::timestamptz`;

export const dueAfter = defineKind({
  ...due,
  name: 'due after',
  compare: ([sql], time, context) => `${isFree} and ${sql} > ${putDue(time, context)}`,
  read: readDueTime,
  print: (time) => [`>${time}`],
});

export const dueBefore = defineKind({
  ...due,
  name: 'due before',
  compare: ([sql], time, context) => `${isFree} and ${sql} <= ${putDue(time, context)}`,
  read: readDueTime,
  print: (time) => [`<${time}`],
});

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
