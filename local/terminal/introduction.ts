import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import type { LocalDatabase } from '../database/open-database.ts';
import type { Settings } from '../settings.ts';

/** Returns the addresses and settings of a service that has started at `url`. */
export function describeService(settings: Settings, { name, dataFolder }: LocalDatabase, url: string) {
  const { retryEverySeconds: seconds, isDemo } = settings;
  const facts = {
    Console: `${url}/console`,
    API: `${url}/replay/openapi.json`,
    Database: dataFolder ? `PostgreSQL on ${name}, data in ${shortenPath(dataFolder)}` : name,
    Schedule: seconds > 0 ? `retries due events every ${seconds} s` : 'off: POST /retry retries due events',
    Demo: isDemo ? 'a shop that sends demo.* events; DEMO=off starts without it and without them' : 'off',
  };
  const lines = Object.entries(facts).map(([fact, text]) => `  ${fact.padEnd(10)}${text}`);
  return `Dead Letter Office is ready on ${url}. Ctrl-C stops it.\n\n${lines.join('\n')}`;
}

function shortenPath(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path.startsWith('..') ? folder : path;
}

const query = 'select status, error_reason, count(*) from dlq_events group by 1, 2 order by 3 desc limit 10';
const report = {
  eventType: 'order.placed',
  payload: { orderId: 'A-1', total: 42.5 },
  error: { message: 'payments did not answer' },
};
const replay = { filter: { status: 'FAILED_PERMANENTLY' }, reason: 'payments answer again' };

/** Returns the next steps for a new user, as shell commands that work as printed. */
export function describeNextSteps(url: string, { shellUrl }: LocalDatabase): string {
  const post = (path: string, body: unknown) =>
    `curl -s ${url}${path} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const hasPsql = spawnSync('psql', ['--version']).status === 0;
  const steps = [
    hasPsql && ['Which errors are the most frequent?', `psql "${shellUrl}" -c "${query}"`],
    ['Report a failure. Sending it twice still makes one event.', post('/capture', report)],
    ['Retry due events now, without waiting for the schedule.', `curl -s -X POST ${url}/retry`],
    ['Deliver once more what failed permanently.', post('/replay/runs', replay)],
    ['Check the health of the service.', `curl -s ${url}/healthz`],
  ].filter((step) => Array.isArray(step));
  return `Try next, in another terminal:\n\n${steps.map((step) => `  # ${step.join('\n  ')}`).join('\n\n')}`;
}
