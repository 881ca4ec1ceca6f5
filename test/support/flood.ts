import { randomUUID } from 'node:crypto';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { aggregateCounts } from '../../shared/counts/aggregate-counts.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import { statuses } from '../../shared/message/event.ts';
import { workOnReplay } from '../../shared/replay/work-on-replay.ts';
import { runTick } from '../../shared/schedule/run-tick.ts';
import { aCapture } from './captures.ts';
import type { TestDatabase } from './database.ts';
import type { HttpTarget } from './http-target.ts';
import { aRun } from './runs.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * The first part of the event types: delivered or not, held by an operator, ordered by keys, and without a
 * route.
 */
export const kinds = ['good', 'flaky', 'held', 'ordered', 'unrouted'] as const;

const random = seededRandom(7);
const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;

/** Captures 20 failures of any kind, some of them for events that are known. */
export function captureSome({ db }: TestDatabase): Promise<unknown> {
  const captures = Array.from({ length: 20 }, () => {
    const kind = pick(kinds);
    const n = Math.floor(random() * 400);
    return aCapture({
      eventKey: `id:${kind}:${n}`,
      eventId: `${n}`,
      deliveryId: randomUUID(),
      eventType: `${kind}.${pick(['created', 'paid'])}`,
      errorReason: `${pick(['no stock', 'timed out', 'bad total'])} at ${kind}`,
      ...(kind === 'ordered' && { sourceKey: `key-${n % 9}` }),
    });
  });
  return storeCaptures({ db, repeatSeconds: 0 }, captures);
}

async function replaySome(deps: DeliveryDeps, { url }: HttpTarget): Promise<void> {
  const { id } = await aRun(deps, {
    filter: {
      eventType: [`${pick(['good', 'flaky'])}.*`],
      status: statuses.filter((each) => each !== 'DISCARDED'),
    },
    ...(random() < 0.5 && { target: `${url}flaky` }),
  });
  await workOnReplay(deps, id, { endsAt: Date.now() + 60_000 });
}

/** Archives delivered and discarded events, and restores them at once. */
export function archiveAndRestore({ sql }: TestDatabase): Promise<unknown> {
  return sql(
    `with moved as (
         delete from dlq_events where status in ('SUCCEEDED', 'DISCARDED') and id % 3 = 0 returning *
       ),
       archived as (insert into dlq_events_archive select * from moved)
     select dlq_restore_events(array(select id from dlq_events_archive))`,
  );
}

/**
 * Captures, retries, replays, discards, archives, restores and aggregates, all at once. When it ends, no
 * statement is in flight, and no event becomes due for half an hour.
 */
export async function flood(database: TestDatabase, deps: DeliveryDeps, target: HttpTarget): Promise<void> {
  target.answer = ({ path }, response) => {
    const bad = path === '/flaky' ? [503, 422] : path === '/ordered' ? [409] : [];
    response.writeHead(random() < 0.4 ? (pick(bad) ?? 200) : 200).end();
  };
  const capture = () => captureSome(database);
  const discard = () =>
    database.sql(
      `update dlq_events set status = 'DISCARDED'
       where event_type = $1 and status <> 'PROCESSING' and retry_count > 0`,
      [`${pick(kinds)}.paid`],
    );
  const aggregate = () => aggregateCounts(database.db);
  const replay = () => replaySome(deps, target);
  await Promise.all([capture(), capture(), runTick(deps), replay(), capture(), aggregate(), capture()]);
  await Promise.all([discard(), archiveAndRestore(database), capture(), aggregate(), replay(), capture()]);
  await stopClocks(database);
}

/**
 * No event becomes due for half an hour: numbers that are read one after the other are those of one moment. A
 * delivered event, too, has a backoff, which is over soon if its consumer reports a failure.
 */
export async function stopClocks({ sql }: TestDatabase): Promise<void> {
  await sql(
    `update dlq_events set retry_after = retry_after + interval '30 minutes'
     where is_open and retry_after > now()`,
  );
  await sql(`update dlq_breakers set probe_after = now() + interval '1 hour' where state <> 'CLOSED'`);
}
