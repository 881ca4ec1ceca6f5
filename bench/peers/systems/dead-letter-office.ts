import { randomUUID } from 'node:crypto';
import { migrate } from '../../../migrations/migrate.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import type { ClaimedEvent } from '../../../shared/delivery/leased-event.ts';
import { openMessages } from '../../../shared/delivery/messages.ts';
import { openSends } from '../../../shared/delivery/sends.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { claimEvents } from '../../../shared/schedule/due-events.ts';
import { openFronts } from '../../../shared/schedule/fronts.ts';
import { listLanes } from '../../../shared/schedule/lanes.ts';
import { inBatches, inParallel, type System } from '../system.ts';

const batchSize = 500;

export const deadLetterOffice: System = {
  name: 'Dead Letter Office',
  keeps: 'the exact bytes, a JSON view, identity, reason, origin, every attempt, exact counts',
  tables: ['public.dlq_events', 'public.dlq_attempts'],
  install: (url) => migrate(url).then(() => {}),
  capture: (url, messages) =>
    withDatabase(url, async (db) => {
      const limits = { db, maxRecurrences: 10, repeatSeconds: 600 };
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
 * Claims, reads the messages, records that the deliveries begin, and settles with an attempt each, as a worker does; the next
 * claim overlaps the settlement.
 */
async function drain(db: Database, limit: number): Promise<void> {
  const lanes = (await listLanes(db, { max: 0 })).map(({ lane }) => ({
    lane,
    route: 0,
    quota: limit,
    maxRetries: 240,
    target: 'http://shop/',
  }));
  const recordSend = openSends(db);
  const messages = openMessages(db, '1');
  const fronts = openFronts(db);
  const dueAt = new Date().toISOString();
  let settling: Promise<unknown> = Promise.resolve();
  for (;;) {
    const leaseToken = randomUUID();
    const found = await fronts.find(lanes, dueAt);
    const wanted = lanes.map((lane) => ({ ...lane, fronts: found.get(lane.lane) }));
    const lease = { leaseToken, leaseSeconds: 300, maxLost: 5, dueAt };
    const claimed = await claimEvents(db, { runId: '1', lanes: wanted, limit, ...lease });
    fronts.advance(claimed, limit);
    if (claimed.length === 0) break;
    const events = claimed.map((event) => ({ event, route: undefined }));
    const held = { token: leaseToken, endsAt: Number.POSITIVE_INFINITY };
    messages.readAhead(events, held);
    const begin = async (each: (typeof events)[number]) => {
      const { message, release } = await messages.take(each, held);
      if (!message) throw new Error(`Event ${each.event.id} has no message.`);
      await recordSend({ id: each.event.id, leaseToken });
      release();
    };
    await Promise.all(events.map(begin));
    await settling;
    const settlements = claimed.map((event) => delivered(event, leaseToken));
    settling = settleEvents(db, { runId: '1', settlements, maxRecurrences: 10 });
  }
  await settling;
}

function delivered({ id, failureCount }: ClaimedEvent, leaseToken: string): Settlement {
  return {
    id,
    leaseToken,
    failureCount,
    status: 'SUCCEEDED',
    isFailure: false,
    outcome: 'delivered',
    target: 'http://shop/',
    startedAt: new Date(),
    durationMs: 1,
    responseStatus: 200,
    responseBody: 'ok',
  };
}
