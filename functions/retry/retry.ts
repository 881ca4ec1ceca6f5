import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { log } from '../../shared/log.ts';
import type { Tally } from '../../shared/tally.ts';
import { answerJson, type Endpoint, onlyPost } from '../endpoint.ts';
import { runTick } from './run-tick.ts';

/** `POST /`: one tick. Called by the schedule; a person may call it as well. Answers the tally. */
export function retry(deps: DeliveryDeps): Endpoint {
  return onlyPost(async (_request, response) => {
    if (!deps.retry.enabled) {
      answerJson(response, 200, { stopped: 'retries are switched off (RETRY_ENABLED)' });
      return;
    }
    const tick = await runTick(deps);
    const { tally, unrouted, stopped } = tick;
    log('INFO', describeTick(tally, unrouted, stopped), { act: 'tick', ...tick });
    answerJson(response, 200, tick);
  });
}

function describeTick(tally: Tally, unrouted: number, stopped: string): string {
  const parts = Object.entries(tally)
    .filter(([name, events]) => name !== 'claimed' && events > 0)
    .map(([name, events]) => `${events} ${name === 'failedPermanently' ? 'failed permanently' : name}`);
  const waiting = unrouted > 0 ? `; ${unrouted} open without a route` : '';
  return `claimed ${tally.claimed}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}${waiting} (${stopped})`;
}
