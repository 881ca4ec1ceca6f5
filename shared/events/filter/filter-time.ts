import * as v from 'valibot';

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const relative = /^(\d{1,6})([smhdw])$/;
const absolute =
  /^([12]\d{3}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/;

const remedy =
  'Give a time such as "2025-11-01T10:00:00Z", a day such as "2025-11-01", or an age: "30m", "24h", "7d".';

/**
 * A time in a filter: ISO 8601 with its zone, a day, which begins at midnight UTC, or an age as a whole number of s, m
 * (minutes), h, d or w.
 */
export const FilterTimeSchema = v.pipe(
  v.string(remedy),
  v.check(isTime, remedy),
  v.metadata({
    description: 'ISO 8601 with its zone, a day, or an age: a number of s, m (minutes), h, d or w.',
    examples: ['2025-11-01T10:00:00Z', '2025-11-01', '24h'],
  }),
);

/** The time as ISO 8601 in UTC, to the microsecond; an age counts back from `now`. */
export function resolveTime(time: string, now: Date): string {
  const age = measureAge(time);
  if (age !== undefined) return new Date(now.getTime() - age).toISOString();
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? [];
  const [seconds] = new Date(time).toISOString().split('.');
  return `${seconds}.${fraction.padEnd(3, '0')}Z`;
}

/** An age in milliseconds; undefined for an absolute time. */
export function measureAge(time: string): number | undefined {
  const [, count, unit] = relative.exec(time) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs];
}

function isTime(text: string): boolean {
  if (relative.test(text)) return true;
  const [, day] = absolute.exec(text) ?? [];
  // Rejects 30 February, which JavaScript would read as 2 March.
  return day !== undefined && new Date(day).toISOString().startsWith(day);
}
