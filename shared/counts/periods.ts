const minuteMs = 60_000;

/** The periods of charts, up to now. */
export const periods = {
  '1h': { stepMinutes: 1, steps: 60 },
  '6h': { stepMinutes: 5, steps: 72 },
  '24h': { stepMinutes: 60, steps: 24 },
  '7d': { stepMinutes: 360, steps: 28 },
  '30d': { stepMinutes: 1440, steps: 30 },
} as const;

export type PeriodName = keyof typeof periods;

/**
 * A past period in equal steps, which are those of UTC: older counts have no hours. The last step is the current one. `before`: the
 * start of the preceding period of its length.
 */
export function periodUpTo(now: Date, name: PeriodName) {
  const { stepMinutes, steps } = periods[name];
  const stepMs = stepMinutes * minuteMs;
  const until = (Math.floor(now.getTime() / stepMs) + 1) * stepMs;
  const length = steps * stepMs;
  const [since, before] = [new Date(until - length), new Date(until - 2 * length)];
  return { name, stepMinutes, steps, since, before, until: new Date(until) };
}

/** The start of a step. */
export function startOfStep(
  { since, stepMinutes }: { since: Date; stepMinutes: number },
  step: number,
): Date {
  return new Date(since.getTime() + step * stepMinutes * minuteMs);
}
