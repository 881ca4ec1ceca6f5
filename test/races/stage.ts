import { randomUUID } from 'node:crypto';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import type { Database } from '../../shared/database/database.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import type { Settlement } from '../../shared/delivery/settlement.ts';
import { discard } from '../../shared/events/actions/actions.ts';
import { runAction } from '../../shared/events/actions/run-action.ts';
import { claimRunEvents } from '../../shared/replay/run-events.ts';
import { aCapture } from '../support/captures.ts';
import { aSettlement, claim } from '../support/claims.ts';
import type { TestDatabase } from '../support/database.ts';
import { aRouteTo } from '../support/routes.ts';
import { aRun, endLeases } from '../support/runs.ts';

/** One event, and a replay that selected it. */
export type Stage = {
  readonly database: TestDatabase;
  readonly id: string;
  readonly eventId: string;
  readonly lane: string;
  readonly runId: string;
};

/** One statement of one of several sessions on the event of a stage. Returns its outcome, in two words or so. */
export type Step = (stage: Stage, db: Database) => Promise<string>;

const url = 'http://shop/';
/** The tokens of the leases. A stage is used up before the next one begins. */
const tokens = { A: randomUUID(), B: randomUUID(), R: randomUUID() };

export async function setStage(database: TestDatabase): Promise<Stage> {
  const eventId = randomUUID();
  const [stored] = await storeCaptures(limits(database.db), [capture(eventId, 1)]);
  const id = stored?.id ?? '';
  const [event] = await database.sql<{ lane: string }>(
    `update dlq_events set retry_after = now() where id = $1 returning lane`,
    [id],
  );
  const run = await aRun({ db: database.db, routes: [aRouteTo(url)] }, { filter: { ids: [id] } });
  return { database, id, eventId, lane: event?.lane ?? '', runId: run.id };
}

const limits = (db: Database) => ({ db, maxRecurrences: 10, repeatSeconds: 600 });

/** The failure of one message at its consumer, at the given delivery. */
const capture = (eventId: string, delivery: number) =>
  aCapture({ eventKey: `id:${eventId}`, eventId, eventType: eventId, deliveryId: String(delivery) });

const claims =
  (worker: 'A' | 'B'): Step =>
  async ({ database, lane }, db) => {
    const claimed = await claim({ ...database, db }, { lanes: [lane], leaseToken: tokens[worker] });
    return claimed.length > 0 ? 'gets it' : 'gets nothing';
  };

const settles =
  (worker: 'A' | 'B' | 'R', more?: Partial<Settlement>): Step =>
  async ({ id, runId }, db) => {
    const settlements = [aSettlement(id, tokens[worker], more)];
    const run = { runId: worker === 'R' ? runId : '0', maxRecurrences: 10 };
    const [settled] = await settleEvents(db, { ...run, settlements });
    if (settled?.isLocked) return 'locked';
    return settled ? 'counts' : 'stale';
  };

const released: Partial<Settlement> = { status: 'PENDING', outcome: null };

/** The steps by their names in docs/races.md: A and B are workers of a tick, R is one of a replay. */
export const steps = {
  'A claims': claims('A'),
  'A delivers': settles('A'),
  'A releases': settles('A', released),
  'B claims': claims('B'),
  'B delivers': settles('B'),
  'R claims': async ({ runId, lane }, db) => {
    const claimed = await claimRunEvents(db, {
      runId,
      lanes: [{ lane, route: 0, quota: 1, isOrdered: false, target: url }],
      limit: 1,
      upTo: 1,
      lookahead: 1,
      after: 0,
      toHeldTargets: false,
      leaseToken: tokens.R,
      leaseSeconds: 60,
    });
    return claimed.length > 0 ? 'gets it' : 'gets nothing';
  },
  'R delivers': settles('R'),
  'the lease ends': async ({ database }) => {
    await endLeases(database);
    return '';
  },
  'it fails again': async ({ eventId }, db) => {
    await storeCaptures(limits(db), [capture(eventId, 2)]);
    return 'counts';
  },
  'Ann discards it': async ({ id }, db) => {
    const body = { filter: { ids: [id] }, reason: 'a test' };
    const { action } = discard(db, { body, actor: 'ann', now: new Date() });
    const { changed } = await runAction({ db, costLimit: 0 }, action);
    return changed > 0 ? 'counts' : 'changes nothing';
  },
} as const satisfies Record<string, Step>;

export type StepName = keyof typeof steps;

/** The stored state at the end: the status, the holder of the lease, and the delivery attempts. */
export async function readStage({ database, id }: Stage): Promise<{ status: string; attempts: number }> {
  const [event] = await database.sql<{ status: string; lease_token: string | null; attempts: number }>(
    `select status, lease_token, (select count(*)::int from dlq_attempts where event_id = $1) as attempts
     from dlq_events where id = $1`,
    [id],
  );
  const holder = Object.entries(tokens).find(([, token]) => token === event?.lease_token)?.[0];
  return { status: holder ? `held by ${holder}` : (event?.status ?? 'gone'), attempts: event?.attempts ?? 0 };
}
