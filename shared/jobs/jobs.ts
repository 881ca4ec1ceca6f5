/** When a job runs: `cron` in the time zone of the stack, and its longest interval in seconds. */
export type JobSchedule = {
  readonly description: string;
  readonly cron: string;
  readonly intervalSeconds: number;
};

const day = 86_400;

/** The jobs of maintain. Each has a job of Cloud Scheduler and its steps in functions/maintain/jobs.ts. */
export const jobs = {
  metrics: {
    description: 'Logs the metrics for alerts and dashboard.',
    cron: '*/5 * * * *',
    intervalSeconds: 300,
  },
  replays: {
    description: 'Starts replays whose time has come, and those that no worker continues.',
    cron: '*/5 * * * *',
    intervalSeconds: 300,
  },
  archive: { description: 'Archives closed events.', cron: '15 2 * * *', intervalSeconds: day },
  purge: { description: 'Deletes what is too old to keep.', cron: '15 3 * * *', intervalSeconds: day },
  digest: { description: 'Logs what failed last week.', cron: '0 7 * * 1', intervalSeconds: 7 * day },
} as const satisfies Readonly<Record<string, JobSchedule>>;

export type JobName = keyof typeof jobs;
export const jobNames = Object.keys(jobs) as readonly JobName[];
