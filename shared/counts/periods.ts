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
 * A past period in equal steps. The last step is the current one. `before`: the start of the preceding period of its length.
 * Steps of a day are those of UTC, as older counts have no hours; shorter ones end with an hour, as midnight differs from zone to
 * zone, or with a minute.
 */
export function periodUpTo(now: Date, name: PeriodName) {
  const { stepMinutes, steps } = periods[name];
  const grain = (stepMinutes === 1440 ? 1440 : Math.min(stepMinutes, 60)) * minuteMs;
  const until = (Math.floor(now.getTime() / grain) + 1) * grain;
  const length = steps * stepMinutes * minuteMs;
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
