import { aggregateCounts } from '../../shared/counts/aggregate-counts.ts';
import type { Database } from '../../shared/database/database.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import type { Tally } from '../../shared/delivery/tally.ts';
import { readWorkerRequest } from '../../shared/delivery/worker-requests.ts';
import { DatabaseUnavailableError } from '../../shared/errors.ts';
import { fillFingerprints } from '../../shared/fingerprint/fill-fingerprints.ts';
import { parseJson } from '../../shared/json/parse-json.ts';
import { log } from '../../shared/log.ts';
import { joinRun, runTick } from '../../shared/schedule/run-tick.ts';
import { answerJson, type Endpoint, onlyPost } from '../endpoint.ts';
import type { Health } from '../health.ts';
import { openBodyReader } from '../read-body.ts';

/** `announce` runs before each tick, once the database has answered. */
export type RetryDeps = DeliveryDeps & {
  readonly watch: Health['watch'];
  readonly announce?: () => Promise<void>;
};

const maxBodyBytes = 65_536;

/**
 * `POST /`: runs one tick, for the schedule or an operator. A Pub/Sub push is a request for one more worker
 * for a run, or for a tick. Responds with the tally of the work.
 */
export function retry({ watch, announce, ...deps }: RetryDeps): Endpoint {
  const readBody = openBodyReader(maxBodyBytes);
  return onlyPost(async (request, response) => {
    const { bytes } = await readBody(request, response);
    const requested = readWorkerRequest(parseJson(bytes.toString('utf8')));
    const work = await watch(() =>
      aggregateMeanwhile(deps.db, async () => {
        const isRequested = requested !== undefined;
        if (!requested || requested.tick) return runTick(deps, { isRequested, announce });
        return requested.runId === undefined ? undefined : joinRun(deps, requested.runId);
      }),
    );
    if (work && 'tally' in work) {
      const { tally, unrouted, stopped } = work;
      log('INFO', describeTick(tally, unrouted, stopped), { action: 'tick', ...work });
    } else if (work) {
      log('INFO', `worked on replay ${work.runId} (${work.stopped})`, { action: 'replay', ...work });
    }
    // Always 200: a repeated request would find nothing to do either.
    answerJson(response, 200, work ?? { stopped: 'the run has ended, or all its slots are taken' });
  });
}

function describeTick(tally: Tally, unrouted: number, stopped: string): string {
  const parts = Object.entries(tally)
    .filter(([name, events]) => name !== 'claimed' && events > 0)
    .map(([name, events]) => `${events} ${name === 'failedPermanently' ? 'failed permanently' : name}`);
  const waiting = unrouted > 0 ? `; ${unrouted} open without a route` : '';
  return `claimed ${tally.claimed}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}${waiting} (${stopped})`;
}

const everySeconds = 5;

/**
 * A long tick changes many counts, and no other function may be running. `work` waits for no lock that an
 * aggregation waits for.
 */
export async function aggregateMeanwhile<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const beginning = fillFingerprints(db)
    .then(() => aggregateCounts(db))
    .catch(ignoreUnavailable);
  // It may fail long before it is awaited.
  beginning.catch(() => {});
  // A failed aggregation is repeated by the next one; `work` itself reports a database that is unavailable.
  const aggregating = setInterval(() => aggregateCounts(db).catch(() => {}), everySeconds * 1000);
  try {
    const result = await work();
    await beginning;
    return result;
  } finally {
    clearInterval(aggregating);
  }
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof DatabaseUnavailableError)) throw error;
}
