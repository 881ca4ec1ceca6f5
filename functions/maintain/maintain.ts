import { log } from '../../shared/log.ts';
import { answerJson, type Endpoint, onlyPost } from '../endpoint.ts';
import { type Chore, chores } from './chores.ts';
import type { MaintainDeps } from './maintain-deps.ts';
import { metrics } from './metrics/metrics.ts';

/** What came of the chores by name: what each did, or why it failed. */
type Done = Record<string, Readonly<Record<string, number>> | { readonly failed: string }>;

/** As long as the function itself may run, less what the last chore may need to come to its end. */
const budgetSeconds = 1500;

/** `POST /`: the chores of the day, called by the schedule; safe at any time. `GET /metrics`: how the office is. */
export function maintain(deps: MaintainDeps): Endpoint {
  const tend = onlyPost(async (_request, response) => {
    const done = await doChores(deps, chores);
    const failed = Object.entries(done).filter(([, result]) => 'failed' in result);
    const message =
      failed.length === 0 ? 'maintained' : `could not ${failed.map(([name]) => name).join(', ')}`;
    log(failed.length === 0 ? 'INFO' : 'ERROR', message, { act: 'maintain', chores: done });
    answerJson(response, failed.length === 0 ? 200 : 500, { chores: done });
  });
  const show = metrics(deps);
  return (request, response) =>
    request.method === 'GET' && request.path === '/metrics'
      ? show(request, response)
      : tend(request, response);
}

/** One after another; that one fails keeps no other from being done. */
export async function doChores(deps: MaintainDeps, all: Readonly<Record<string, Chore>>): Promise<Done> {
  const endsAt = Date.now() + budgetSeconds * 1000;
  const done: Done = {};
  for (const [name, chore] of Object.entries(all)) {
    try {
      done[name] = await chore(deps, endsAt);
    } catch (error) {
      done[name] = { failed: error instanceof Error ? error.message : String(error) };
    }
  }
  return done;
}
