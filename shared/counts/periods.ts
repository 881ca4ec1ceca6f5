const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A period in equal steps. */
export type Period = {
  readonly stepMinutes: number;
  readonly steps: number;
  readonly since: Date;
  readonly until: Date;
};

/** The periods of charts, up to now. */
export const periods = {
  '1h': { stepMinutes: 1, steps: 60 },
  '6h': { stepMinutes: 5, steps: 72 },
  '24h': { stepMinutes: 60, steps: 24 },
  '7d': { stepMinutes: 360, steps: 28 },
  '30d': { stepMinutes: 1440, steps: 30 },
} as const;

export type PeriodName = keyof typeof periods;

/** A past period whose steps are those of UTC, as older counts have no hours. The last step is running. */
export function periodUpTo(now: Date, name: PeriodName): Period {
  const { stepMinutes, steps } = periods[name];
  const stepMs = stepMinutes * minuteMs;
  return periodOf((Math.floor(now.getTime() / stepMs) + 1) * stepMs, { stepMinutes, steps });
}

/** Whether the steps of a period are whole hours, which have counts. */
export function isByHour({ stepMinutes }: Pick<Period, 'stepMinutes'>): boolean {
  return stepMinutes % 60 === 0;
}

/** The clock hours that a period touches; the same period if its steps are whole hours. */
export function hoursOf(period: Period): Period {
  if (isByHour(period)) return period;
  const until = Math.ceil(period.until.getTime() / hourMs) * hourMs;
  return periodOf(until, { stepMinutes: 60, steps: Math.ceil((until - period.since.getTime()) / hourMs) });
}

function periodOf(until: number, { stepMinutes, steps }: Pick<Period, 'stepMinutes' | 'steps'>): Period {
  const since = new Date(until - steps * stepMinutes * minuteMs);
  return { stepMinutes, steps, since, until: new Date(until) };
}

/** The start of a step. */
export function startOfStep({ since, stepMinutes }: Pick<Period, 'since' | 'stepMinutes'>, step: number) {
  return new Date(since.getTime() + step * stepMinutes * minuteMs);
}
