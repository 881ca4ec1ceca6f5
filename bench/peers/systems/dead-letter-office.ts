import { randomUUID } from 'node:crypto';
import { migrate } from '../../../migrations/migrate.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { openMessages } from '../../../shared/delivery/messages.ts';
import type { Leased } from '../../../shared/delivery/picker.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { aRouteTo } from '../../../test/support/routes.ts';
import { delivered, openLeases } from '../../lease-due.ts';
import { inBatches, inParallel, type System } from '../system.ts';

const batchSize = 500;

export const deadLetterOffice: System = {
  name: 'Dead Letter Office',
  keeps: 'the exact bytes, a JSON view, identity, reason, origin, every attempt, exact counts',
  tables: ['public.dlq_events', 'public.dlq_attempts'],
  install: (url) => migrate(url).then(() => {}),
  capture: (url, messages) =>
    withDatabase(url, async (db) => {
      const limits = { db, repeatSeconds: 600 };
      await inParallel(inBatches(messages, batchSize), 4, (batch) =>
        storeCaptures(
          limits,
          batch.flatMap((message) => readReport(message)),
        ),
      );
    }),
  drains: {
    'claims of 50, as from a slow target': (url) => withDatabase(url, (db) => drain(db, 50)),
    'claims of 500 (default)': (url) => withDatabase(url, (db) => drain(db, 500)),
  },
  count: {
    stored: 'select count(*) from dlq_events',
    left: `select count(*) from dlq_events where status <> 'SUCCEEDED'`,
  },
};

async function withDatabase(url: string, use: (db: Database) => Promise<void>): Promise<void> {
  const db = openDatabase({ kind: 'url', url, poolMax: 4 }, 'bench');
  await use(db).finally(() => db.close());
}

/** A failure as a consumer reports it. */
function readReport(message: string) {
  const body = Buffer.from(
    `{"eventType":"order.created","eventId":"${randomUUID()}","payload":${message},"error":{"message":"timed out"}}`,
  );
  return readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body,
  });
}

/**
 * Leases, reads the messages, which records that the deliveries begin, and settles with an attempt each, as a worker does; the
 * next lease overlaps the settlement.
 */
async function drain(db: Database, limit: number): Promise<void> {
  const waiting = new Map<Leased, undefined>();
  const readMessage = openMessages({ db, waiting, countSoon: () => limit });
  const leaseDue = openLeases(db, limit);
  const route = aRouteTo('http://shop/');
  const before = { status: 'PENDING', processedAt: null } as const;
  let settling: Promise<unknown> = Promise.resolve();
  for (;;) {
    const { leaseToken, events } = await leaseDue();
    if (events.length === 0) break;
    const lease = { token: leaseToken, endsAt: Number.POSITIVE_INFINITY };
    const about = {
      leasedAt: 0,
      cause: null,
      kind: '',
      isRedirected: false,
      isSuspect: false,
    };
    const leased = events.map((event): Leased => ({ event, lease, route, before, ...about }));
    for (const each of leased) waiting.set(each, undefined);
    const begin = async (each: Leased) => {
      const { message, release } = await readMessage(each);
      waiting.delete(each);
      if (!message) throw new Error(`Event ${each.event.id} has no message.`);
      release?.();
    };
    await Promise.all(leased.map(begin));
    await settling;
    const settlements = events.map((event) => delivered(event, leaseToken));
    settling = settleEvents(db, { runId: '1', settlements });
  }
  await settling;
}
