import { type Call, readCall } from '../../shared/continuation.ts';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { log } from '../../shared/log.ts';
import type { Tally } from '../../shared/tally.ts';
import { answerJson, type Endpoint, onlyPost } from '../endpoint.ts';
import type { ReplayWork } from '../replay/runs/work-from-slot.ts';
import { continueRun } from './continue-run.ts';
import { foldMeanwhile } from './fold-meanwhile.ts';
import { runTick, type Tick } from './run-tick.ts';

/**
 * `POST /`: one tick. Called by the schedule; a person may call it as well. A push by Pub/Sub is a continuation message
 * and asks for one more worker for a run. Answers what was done.
 */
export function retry(deps: DeliveryDeps): Endpoint {
  return onlyPost(async (request, response) => {
    if (!deps.retry.enabled) {
      answerJson(response, 200, { stopped: 'retries are switched off (RETRY_ENABLED)' });
      return;
    }
    const call = readCall(request.body);
    const work = await foldMeanwhile(deps.db, () => (call ? answerCall(deps, call) : runTick(deps)));
    if (work && 'tally' in work) {
      const { tally, unrouted, stopped } = work;
      log('INFO', describeTick(tally, unrouted, stopped), { act: 'tick', ...work });
    } else if (work) {
      log('INFO', `worked on replay ${work.runId} (${work.stopped})`, { act: 'replay', ...work });
    }
    // A success in any case: a message that finds nothing to do has done its work, and again it would find the same.
    answerJson(response, 200, work ?? { stopped: 'the run is over, or has all its workers' });
  });
}

async function answerCall(deps: DeliveryDeps, { runId }: Call): Promise<Tick | ReplayWork | undefined> {
  return runId === undefined ? undefined : continueRun(deps, runId);
}

function describeTick(tally: Tally, unrouted: number, stopped: string): string {
  const parts = Object.entries(tally)
    .filter(([name, events]) => name !== 'claimed' && events > 0)
    .map(([name, events]) => `${events} ${name === 'failedPermanently' ? 'failed permanently' : name}`);
  const waiting = unrouted > 0 ? `; ${unrouted} open without a route` : '';
  return `claimed ${tally.claimed}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}${waiting} (${stopped})`;
}
