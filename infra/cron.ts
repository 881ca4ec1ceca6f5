import { Cron } from 'croner';

const names = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT';
/** Five fields as Cloud Scheduler takes them; the library knows more. */
const shape = new RegExp(`^(?:[\\d*/,-]|${names})+(?: (?:[\\d*/,-]|${names})+){4}$`, 'i');

const day = 86_400;
/** Days that are compared: more than a year of a daily schedule, several of one that runs less often. */
const maxDays = 400;

export const cronRemedy =
  'Use the five fields of cron, such as "0 */6 * * *": minutes 0 to 59, hours 0 to 23, a day 1 to 31 that one of the months has, months 1 to 12, weekdays 0 to 7.';

/** Whether Cloud Scheduler takes a schedule, and it occurs at all. */
export function isSchedule(schedule: string): boolean {
  try {
    return shape.test(schedule) && openCron(schedule).nextRun() !== null;
  } catch {
    return false;
  }
}

/** Returns the longest time between two runs of a schedule, in seconds, without daylight saving time. */
export function findLongestInterval(schedule: string): number {
  const [minutes, hours, ...dates] = schedule.split(' ');
  const days = listRuns(`0 0 ${dates.join(' ')}`, maxDays);
  // After midnight of the day that 1970 began with.
  const times = listRuns(`${minutes} ${hours} * * *`, day / 60, new Date(-1000)).filter((at) => at < day);
  const [first = 0, last = 0] = [times.at(0), times.at(-1)];
  const overnight = findLongestGap(days) - last + first;
  return Math.max(findLongestGap(times), overnight);
}

/** Lists the next runs of a schedule, in seconds since 1970. */
function listRuns(schedule: string, count: number, after?: Date): number[] {
  return openCron(schedule)
    .nextRuns(count, after)
    .map((at) => at.getTime() / 1000);
}

function findLongestGap(times: readonly number[]): number {
  return Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}

function openCron(schedule: string): Cron {
  return new Cron(schedule, { utcOffset: 0, mode: '5-part', paused: true });
}
