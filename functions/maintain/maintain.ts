import { DeadLetterError, NotFoundError } from '../../shared/errors.ts';
import { completeJob } from '../../shared/jobs/job-state.ts';
import { type JobName, jobNames } from '../../shared/jobs/jobs.ts';
import { log } from '../../shared/log.ts';
import { answerJson, type Endpoint, onlyPost, retryAfter } from '../endpoint.ts';
import { readTarget } from '../request-target.ts';
import { type MaintainDeps, type Step, steps } from './jobs.ts';
import { metrics } from './metrics.ts';

type Failed = { readonly failed: string; readonly code?: string };

/** Results by step: what it did, in numbers, or the message and the code of its error. */
type Results = Readonly<Record<string, Readonly<Record<string, number>> | Failed>>;

/** The timeout of the function, 1,800 s, less the time that the last part may need. */
const budgetSeconds = 1500;

/** `POST /NAME` runs a job, `POST /` all of them; safe at any time. `GET /metrics` has the metrics. */
export function maintain(deps: MaintainDeps): Endpoint {
  const runJobs = onlyPost(async (request, response) => {
    const { path } = readTarget(request.url);
    const names = jobNames.filter((name) => path === '/' || path === `/${name}`);
    if (names.length === 0) throw new NotFoundError(`Use one of ${jobNames.join(', ')}.`);
    const endsAt = Date.now() + budgetSeconds * 1000;
    const jobs: Partial<Record<JobName, Results>> = {};
    for (const name of names) jobs[name] = await runJob(deps, name, endsAt);
    const failed = Object.values(jobs).flatMap(listFailed);
    const isUnavailable = failed.some(([, { code }]) => code === 'DATABASE_UNAVAILABLE');
    if (isUnavailable) response.setHeader('retry-after', retryAfter);
    answerJson(response, failed.length === 0 ? 200 : isUnavailable ? 503 : 500, { jobs });
  });
  const showMetrics = metrics(deps);
  return (request, response) =>
    request.method === 'GET' && readTarget(request.url).path === '/metrics'
      ? showMetrics(request, response)
      : runJobs(request, response);
}

/** Runs the steps of a job. Records that it is complete if it got through all of its work before `endsAt`. */
async function runJob(deps: MaintainDeps, name: JobName, endsAt: number): Promise<Results> {
  const complete: Step = async ({ db }) => ({ completed: (await completeJob(db, { name })).length });
  const done = await runSteps(deps, steps[name], endsAt);
  const isThrough = listFailed(done).length === 0 && Date.now() < endsAt;
  const results = { ...done, ...(isThrough && (await runSteps(deps, { complete }, endsAt))) };
  const failed = listFailed(results).map(([step]) => step);
  const outcome =
    failed.length > 0 ? `failed: ${failed.join(', ')}` : isThrough ? 'done' : 'goes on next time';
  const severity = failed.length > 0 ? 'ERROR' : 'INFO';
  log(severity, `job ${name} ${outcome}`, { action: 'maintain', job: name, steps: results });
  return results;
}

/** Runs steps one after another. One that fails stops no other. */
export async function runSteps(
  deps: MaintainDeps,
  all: Readonly<Record<string, Step>>,
  endsAt: number,
): Promise<Results> {
  const results: Record<string, Results[string]> = {};
  for (const [name, step] of Object.entries(all)) {
    try {
      results[name] = await step(deps, endsAt);
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error);
      results[name] = { failed, ...(error instanceof DeadLetterError && { code: error.code }) };
    }
  }
  return results;
}

function listFailed(results: Results): [string, Failed][] {
  return Object.entries(results).filter((each): each is [string, Failed] => 'failed' in each[1]);
}
