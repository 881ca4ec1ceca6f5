import { type Changes, watchChanges } from './changes.ts';
import { collectBatches } from './collect-batches.ts';
import { type Batch, inOrderOfCapture, type Lease, openDeliveries } from './deliver-batch.ts';
import type { LeasedEvent, Settlement } from './events.ts';
import type { Lane } from './lanes.ts';
import { type Settled, settleBatch } from './settle-batch.ts';

/** For so long at most an outcome waits for others to be settled with, while slower deliveries go on. */
const longestWaitMs = 100;
/** So many batches at most are under way at once: they are held in memory. */
const mostBatches = 4;

/** What one worker has claimed and not settled yet. */
export type Pipeline = {
  /** Takes over what was claimed. */
  start(lease: Lease, events: readonly LeasedEvent[]): void;
  /** Whether nothing is left to deliver or to settle. */
  isEmpty(): boolean;
  /** Whether more can be claimed from a lane: none of its route's events waits for its turn, its target seems well. */
  hasRoom(lane: Lane): boolean;
  /** What can let more be claimed: events were settled, or a route has room again. */
  readonly changes: Pick<Changes, 'count' | 'after'>;
  /** Throws what a settlement has failed with. */
  check(): void;
  /** Waits until all is delivered and settled. Throws as `check` does. */
  finish(): Promise<void>;
};

type Delivered = { readonly event: LeasedEvent; readonly settlement: Settlement; readonly lease: Lease };

/**
 * Delivers what is claimed and settles what was delivered, a batch in one statement, so that a slow delivery holds up
 * neither the next claim nor the outcomes of others.
 */
export function openPipeline(
  deps: Omit<Batch, 'lease'>,
  record: (settled: readonly Settled[]) => void,
): Pipeline {
  const changes = watchChanges();
  const deliveries = openDeliveries(deps.routes, changes.announce);
  const faults: unknown[] = [];
  const noteFault = (error: unknown) => {
    faults.push(error);
    changes.announce();
  };
  let underWay = 0;
  const outcomes = collectBatches<Delivered>({
    most: deps.retry.batchSize,
    waitMs: longestWaitMs,
    isComplete: () => underWay === 0,
    take: (batch) => settle(deps, batch, deliveries.takeReports()).then(record).catch(noteFault),
    onTaken: changes.announce,
  });
  const deliver = async (lease: Lease, event: LeasedEvent) => {
    const settlement = await deliveries.deliver({ ...deps, lease }, event).finally(() => {
      underWay -= 1;
    });
    outcomes.add({ event, settlement, lease });
  };
  const isEmpty = () => underWay === 0 && outcomes.isEmpty();
  const check = () => {
    if (faults.length > 0) throw faults[0];
  };
  return {
    start(lease, events) {
      underWay += events.length;
      for (const event of inOrderOfCapture(events)) void deliver(lease, event).catch(noteFault);
    },
    isEmpty,
    hasRoom({ route: place, target }) {
      const route = deps.routes[place];
      const isFull = underWay > (mostBatches - 1) * deps.retry.batchSize;
      return route !== undefined && !isFull && !deliveries.isCrowded(route) && !deliveries.isDown(target);
    },
    changes,
    check,
    async finish() {
      for (let seen = changes.count(); !isEmpty(); seen = changes.count()) await changes.after(seen);
      check();
    },
  };
}

async function settle(
  deps: Omit<Batch, 'lease'>,
  delivered: readonly Delivered[],
  reports: Parameters<typeof settleBatch>[1]['reports'],
): Promise<Settled[]> {
  // Worth trying for as long as the lease of any of them lasts.
  const lease = delivered.map((each) => each.lease).reduce((a, b) => (a.endsAt > b.endsAt ? a : b));
  const events = delivered.map(({ event }) => event);
  const settlements = delivered.map(({ settlement }) => settlement);
  return settleBatch({ ...deps, lease }, { events, settlements, reports });
}
