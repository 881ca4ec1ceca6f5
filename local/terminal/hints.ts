import { spawnSync } from 'node:child_process';

export type HintFacts = {
  readonly url: string;
  /** A shell expression for the database URL. */
  readonly databaseUrl: string;
  /** The id of an event that failed permanently, if there is one. */
  readonly failedEvent: string | undefined;
};

const query = 'select status, error_reason, count(*) from dlq_events group by 1, 2 order by 3 desc limit 10';
const report = {
  eventType: 'order.placed',
  payload: { orderId: 'A-1', total: 42.5 },
  error: { message: 'payments did not answer' },
};

/** Returns the next steps for a new user, as shell commands that work as printed. */
export function describeNextSteps({ url, databaseUrl, failedEvent }: HintFacts): string {
  const post = (path: string, body: unknown) =>
    `curl -s ${url}${path} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const hasPsql = spawnSync('psql', ['--version']).status === 0;
  const steps = [
    hasPsql && ['Which errors are the most frequent?', `psql "${databaseUrl}" -c "${query}"`],
    ['Report a failure. Sending it twice still makes one event.', post('/capture', report)],
    ['Retry due events now, without waiting for the schedule.', `curl -s -X POST ${url}/retry`],
    failedEvent && [
      'Deliver an event that failed permanently once more, and see the error.',
      post('/replay', { ids: [Number(failedEvent)] }),
    ],
    ['Check the health of the service.', `curl -s ${url}/healthz`],
  ].filter((step) => Array.isArray(step));
  return `Try next, in another terminal:\n\n${steps.map((step) => `  # ${step.join('\n  ')}`).join('\n\n')}`;
}
