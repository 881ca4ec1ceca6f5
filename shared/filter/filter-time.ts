import * as v from 'valibot';

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const relative = /^(\d{1,6})([smhdw])$/;
const absolute =
  /^([12]\d{3}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/;

const remedy =
  'Give a time such as "2025-11-01T10:00:00Z", a day such as "2025-11-01", or how long ago: "30m", "24h", "7d".';

/**
 * A time in a filter: ISO 8601 with its zone, a day, which begins at midnight UTC, or how long ago as a whole number of
 * s, m (minutes), h, d or w.
 */
export const FilterTimeSchema = v.pipe(v.string(remedy), v.check(isTime, remedy));

/** The time as ISO 8601 in UTC; how long ago is counted back from `now`. Microseconds are kept. */
export function resolveTime(time: string, now: Date): string {
  const age = measureAge(time);
  if (age !== undefined) return new Date(now.getTime() - age).toISOString();
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? [];
  const [seconds] = new Date(time).toISOString().split('.');
  return `${seconds}.${fraction.padEnd(3, '0')}Z`;
}

/** How long ago in milliseconds, or undefined where the time is absolute. */
export function measureAge(time: string): number | undefined {
  const [, count, unit] = relative.exec(time) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs];
}

function isTime(text: string): boolean {
  if (relative.test(text)) return true;
  const [, day] = absolute.exec(text) ?? [];
  // A day that its month does not have, which JavaScript would carry over into the next.
  return day !== undefined && new Date(day).toISOString().startsWith(day);
}
