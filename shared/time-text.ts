import * as v from 'valibot';
import { isCalendarDay } from './calendar-day.ts';

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const relative = /^(\d{1,6}[smhdw]){1,5}$/;
/** Beyond it a time would have a year that `absolute` and PostgreSQL do not read. */
const maxMs = 900 * 365 * unitMs.d;
const days = ['today', 'yesterday'];
const absolute =
  /^([12]\d{3}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)?)?$/;

const remedy =
  'Give a time such as "2025-11-01T10:00:00Z", a day such as "2025-11-01" or "yesterday", or an age: "30m", "1h30m", "7d".';

/** A time in a filter: ISO 8601, in UTC without a zone; a day, from midnight UTC on; or an age. */
export const FilterTimeSchema = v.pipe(
  v.string(remedy),
  v.check(isTime, remedy),
  v.metadata({
    description:
      'ISO 8601, in UTC unless it has a zone; a day, `today` or `yesterday`; or an age: numbers of s, m (minutes), h, d or w.',
    examples: ['2025-11-01T10:00:00Z', '2025-11-01', '24h'],
  }),
);

/** The time as ISO 8601 in UTC, to the microsecond; an age counts back from `now`. */
export function resolveTime(time: string, now: Date): string {
  const age = measureAge(time);
  if (age !== undefined) return new Date(now.getTime() - age).toISOString();
  if (days.includes(time)) {
    const midnight = Math.floor(now.getTime() / unitMs.d) * unitMs.d;
    return new Date(midnight - (time === 'yesterday' ? unitMs.d : 0)).toISOString();
  }
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? [];
  const [seconds] = new Date(toZoned(time)).toISOString().split('.');
  return `${seconds}.${fraction.padEnd(3, '0')}Z`;
}

const dueRemedy = 'Give "now", how long from now: "5m", "1h30m", or a time such as "2025-11-01T10:00:00Z".';

/** When an event is due: `now`, a length of time from now on, or a time as in FilterTimeSchema. */
export const DueTimeSchema = v.pipe(
  v.string(dueRemedy),
  v.check((time) => time === 'now' || isTime(time), dueRemedy),
  v.metadata({
    description:
      '`now`, a length of time from now on in numbers of s, m (minutes), h, d or w, or a time in ISO 8601.',
    examples: ['now', '1h'],
  }),
);

/** The end of a hold, in a request or a form: null if it is empty. */
export const UntilSchema = v.pipe(
  v.optional(v.string(dueRemedy)),
  v.description('When it ends by itself: a time, or how long from now, such as `2h`.'),
  v.transform((time = '') => time.trim()),
  v.check((time) => time === '' || isTime(time), dueRemedy),
  v.transform((time) => (time === '' ? null : resolveDueTime(time, new Date()))),
);

/** The same as resolveTime, but lengths of time count forward from `now`. */
export function resolveDueTime(time: string, now: Date): string {
  const length = time === 'now' ? 0 : measureAge(time);
  return length === undefined ? resolveTime(time, now) : new Date(now.getTime() + length).toISOString();
}

/** An age in milliseconds; undefined for an absolute time. */
export function measureAge(time: string): number | undefined {
  if (!relative.test(time)) return undefined;
  const amounts = [...time.matchAll(/(\d+)([smhdw])/g)];
  return amounts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitMs[unit as keyof typeof unitMs],
    0,
  );
}

/** Whether it depends on the current time. */
export function isRelative(time: string): boolean {
  return relative.test(time) || days.includes(time) || time === 'now';
}

/** The start, and the end if it has one, of the period of a day or an age; undefined for others. */
export function findDay(time: string): readonly [after: string, before?: string] | undefined {
  if (time === 'yesterday') return ['yesterday', 'today'];
  if (time !== 'now' && isRelative(time)) return [time];
  if (!/^\d{4}-\d\d-\d\d$/.test(time) || !isTime(time)) return undefined;
  return [time, new Date(new Date(time).getTime() + unitMs.d).toISOString().slice(0, 10)];
}

/** JavaScript reads a time without a zone as local time. */
function toZoned(time: string): string {
  return /T[\d:.]+$/.test(time) ? `${time}Z` : time;
}

function isTime(text: string): boolean {
  return (measureAge(text) ?? Infinity) <= maxMs || days.includes(text) || isAbsoluteTime(text);
}

/** Whether the text is a time or a day of the calendar, in ISO 8601. */
function isAbsoluteTime(text: string): boolean {
  const [, day] = absolute.exec(text) ?? [];
  return day !== undefined && isCalendarDay(day);
}
