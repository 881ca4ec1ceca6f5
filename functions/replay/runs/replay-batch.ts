import { type DeliveryDeps, openLease } from '../../../shared/deliver-batch.ts';
import { findShortage, returnQuotas, takeQuotas, takeTokens } from '../../../shared/rates.ts';
import { settleBatch } from '../../../shared/settle-batch.ts';
import { claimRunEvents, type RunEvent } from './claim-run-events.ts';
import { deliverRunBatch } from './deliver-run-batch.ts';
import type { Way } from './route-run.ts';
import type { Run } from './run.ts';

/** How far a run may go, and after which of its places this worker looks. */
type Course = Way & { readonly upTo: number; readonly after: number };

/** After how many ms there can be more (0: not known), and after which place to look then. */
export type Step = { readonly waitMs: number; readonly after: number };

/** So many waiting events are looked at where an order or a rate may hold back those at the front. */
const farLook = 1000;

/** Claims, delivers and settles the next batch of a run. */
export async function replayBatch(deps: DeliveryDeps, run: Run, course: Course): Promise<Step> {
  const { db, retry } = deps;
  const { after } = course;
  const granted = await takeRunTokens(deps, run, retry.batchSize);
  if (granted === 0) return { after, waitMs: 1000 / (run.pace.ratePerSecond ?? 1) };
  const places = new Set(course.lanes.map(({ route }) => route));
  const quotas = await takeQuotas(db, course.routes, { places, wanted: granted });
  const lease = openLease(retry.leaseSeconds);
  const isOrdered = course.lanes.some((lane) => lane.is_ordered);
  const events = await claimRunEvents(db, {
    runId: run.id,
    lanes: JSON.stringify(
      course.lanes.map((lane) => ({ ...lane, quota: quotas.get(lane.route) ?? granted })),
    ),
    limit: granted,
    upTo: Math.min(course.upTo, run.selected),
    after,
    // Those in flight may stand at the front as well.
    lookahead: run.in_flight + (isOrdered || quotas.size > 0 ? Math.max(farLook, granted) : granted),
    leaseToken: lease.token,
    leaseSeconds: retry.leaseSeconds,
  });
  await returnQuotas(db, course.routes, quotas, countByRoute(events));
  await returnRunTokens(deps, run, granted - events.length);
  if (events.length === 0) return { after: 0, waitMs: findShortage(course.routes, quotas) ?? 0 };
  // What a person asks for is tried, whatever the target's health: the run's own gate watches over it.
  const batch = { db, routes: course.deliverBy, retry, runId: run.id, lease, sparesTargets: false };
  await settleBatch(batch, await deliverRunBatch(batch, run, events));
  // What is passed over for its order or its rate has to be found again.
  return { after: isOrdered || quotas.size > 0 ? 0 : (events.at(-1)?.place ?? 0), waitMs: 0 };
}

/** How many deliveries the run's own rate allows now, by all its workers together. */
async function takeRunTokens({ db }: DeliveryDeps, run: Run, wanted: number): Promise<number> {
  const { ratePerSecond } = run.pace;
  if (ratePerSecond === undefined) return wanted;
  const [taken] = await takeTokens(db, { route: nameBucket(run), ratePerSecond, wanted });
  return taken?.granted ?? 0;
}

async function returnRunTokens({ db }: DeliveryDeps, run: Run, unused: number): Promise<void> {
  const { ratePerSecond } = run.pace;
  if (ratePerSecond === undefined || unused === 0) return;
  await takeTokens(db, { route: nameBucket(run), ratePerSecond, wanted: -unused });
}

const nameBucket = ({ id }: Run) => `replay ${id}`;

function countByRoute(events: readonly RunEvent[]): Map<number, number> {
  const used = new Map<number, number>();
  for (const { route } of events) used.set(route, (used.get(route) ?? 0) + 1);
  return used;
}
