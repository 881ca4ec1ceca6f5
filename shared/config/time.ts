import * as v from 'valibot';
import { isCalendarDay } from '../calendar-day.ts';

const form = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** A point in time with its offset, in ISO 8601, such as `2026-03-01T02:00:00Z`. */
export const TimeSchema = v.pipe(
  v.string('Give it as text.'),
  v.check(
    (text) => form.test(text) && isCalendarDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
    'Give a time with its offset, such as "2026-03-01T02:00:00Z".',
  ),
  v.metadata({ examples: ['2026-03-01T02:00:00Z'] }),
  v.transform((text) => new Date(text).toISOString()),
);

/** Whether a time zone is named. PostgreSQL reads an offset, such as `+02:00`, with the opposite sign. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}
