/** Whether `2026-02-28` is a day: JavaScript reads 30 February as 2 March, and knows no 13th month. */
export function isCalendarDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
