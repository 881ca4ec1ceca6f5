import { DeadLetterError } from '../../shared/errors.ts';
import { log } from '../../shared/log.ts';
import { answerJson, type Endpoint, onlyPost, retryAfter } from '../endpoint.ts';
import { readTarget } from '../request-target.ts';
import { type Job, jobs, type MaintainDeps } from './jobs.ts';
import { metrics } from './metrics.ts';

type Failed = { readonly failed: string; readonly code?: string };

/** Results by job: what it did, in numbers, or the message and the code of its error. */
type Results = Record<string, Readonly<Record<string, number>> | Failed>;

/** The timeout of the function, 1,800 s, less the time that the last batch may need. */
const budgetSeconds = 1500;

/**
 * `POST /` runs the daily jobs, for a schedule; safe to call at any time. `GET /metrics` returns the metrics.
 */
export function maintain(deps: MaintainDeps): Endpoint {
  const runDaily = onlyPost(async (_request, response) => {
    const results = await runJobs(deps, jobs);
    const failed = Object.entries(results).filter(([, result]) => 'failed' in result);
    const isUnavailable = failed.some(([, { code }]) => code === 'DATABASE_UNAVAILABLE');
    const message =
      failed.length === 0 ? 'all jobs done' : `jobs failed: ${failed.map(([name]) => name).join(', ')}`;
    log(failed.length === 0 ? 'INFO' : 'ERROR', message, { action: 'maintain', jobs: results });
    if (isUnavailable) response.setHeader('retry-after', retryAfter);
    answerJson(response, failed.length === 0 ? 200 : isUnavailable ? 503 : 500, { jobs: results });
  });
  const showMetrics = metrics(deps);
  return (request, response) =>
    request.method === 'GET' && readTarget(request.url).path === '/metrics'
      ? showMetrics(request, response)
      : runDaily(request, response);
}

/** Runs jobs one after another. A job that fails stops no other. */
export async function runJobs(deps: MaintainDeps, all: Readonly<Record<string, Job>>): Promise<Results> {
  const endsAt = Date.now() + budgetSeconds * 1000;
  const results: Results = {};
  for (const [name, job] of Object.entries(all)) {
    try {
      results[name] = await job(deps, endsAt);
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error);
      results[name] = { failed, ...(error instanceof DeadLetterError && { code: error.code }) };
    }
  }
  return results;
}
