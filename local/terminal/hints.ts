import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export type HintFacts = {
  readonly url: string;
  /** How a shell gets at the database's address. */
  readonly databaseAddress: string;
  /** An event that failed permanently, if there is one. */
  readonly failedEvent: string | undefined;
};

const question =
  'select status, error_reason, count(*) from dlq_events group by 1, 2 order by 3 desc limit 10';
const report = {
  eventType: 'order.placed',
  payload: { orderId: 'A-1', total: 42.5, currency: 'EUR', items: [{ sku: 'MUG-STONE' }] },
  error: { message: 'payments did not answer' },
};

/** What a newcomer can do next: lines for a shell that work as they are. */
export function describeNextSteps({ url, databaseAddress, failedEvent }: HintFacts): string {
  const post = (path: string, body: unknown) =>
    `curl -s ${url}${path} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const steps: [string, string][] = [];
  if (hasProgram('psql')) steps.push(['What failed, and why?', `psql "${databaseAddress}" -c "${question}"`]);
  steps.push(['Report a failure of your own. Sent twice, it stays one event.', post('/capture', report)]);
  steps.push(['Retry now what is due, without waiting for the schedule.', `curl -s -X POST ${url}/retry`]);
  if (failedEvent) {
    const purpose = 'Deliver once more what failed permanently: the answer says why it fails.';
    steps.push([purpose, post('/replay', { ids: [Number(failedEvent)] })]);
  }
  steps.push(['Is everything up?', `curl -s ${url}/healthz`]);
  const lines = steps.map(([purpose, command]) => `  # ${purpose}\n  ${command}`);
  return `Try next, in another terminal:\n\n${lines.join('\n\n')}`;
}

function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
