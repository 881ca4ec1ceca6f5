import { randomUUID } from 'node:crypto';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import type { Database } from '../../shared/database/database.ts';
import { leaseEvents } from '../../shared/delivery/lease.ts';
import { recover } from '../../shared/delivery/recover.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import type { Settlement } from '../../shared/delivery/settlement.ts';
import { discard } from '../../shared/events/actions/actions.ts';
import { runAction } from '../../shared/events/actions/run-action.ts';
import { aCapture } from '../support/captures.ts';
import { aSettlement } from '../support/claims.ts';
import type { TestDatabase } from '../support/database.ts';
import { aRouteTo, retryConfig } from '../support/routes.ts';
import { aRun, endLeases } from '../support/runs.ts';

/** One event, and a replay that selected it. */
export type Stage = {
  readonly database: TestDatabase;
  readonly id: string;
  readonly eventId: string;
  readonly runId: string;
};

/**
 * One statement of one of several sessions on the event of a stage. Returns its outcome, in two words or so.
 */
export type Step = (stage: Stage, db: Database) => Promise<string>;

const url = 'http://shop/';
/** The tokens of the leases. A stage is used up before the next one begins. */
const tokens = { A: randomUUID(), B: randomUUID(), R: randomUUID() };

export async function setStage(database: TestDatabase): Promise<Stage> {
  const eventId = randomUUID();
  const [stored] = await storeCaptures(limits(database.db), [capture(eventId, 1)]);
  const id = stored?.id ?? '';
  await database.sql(`update dlq_events set retry_after = now() where id = $1`, [id]);
  // A stage uses the same tokens as the one before.
  await database.sql('delete from dlq_leases');
  const run = await aRun({ db: database.db, routes: [aRouteTo(url)] }, { filter: { ids: [id] } });
  return { database, id, eventId, runId: run.id };
}

const limits = (db: Database) => ({ db, repeatSeconds: 600 });

/** The failure of one message at its consumer, at the given delivery. */
const capture = (eventId: string, delivery: number) =>
  aCapture({ eventKey: `id:${eventId}`, eventId, eventType: eventId, deliveryId: String(delivery) });

const claims =
  (worker: 'A' | 'B' | 'R'): Step =>
  async ({ id, runId }, db) => {
    const terms =
      worker === 'R' ? { runId, dueAt: null, upTo: 1 } : { runId: '0', dueAt: '2100-01-01', upTo: null };
    const events = [{ id, isOrdered: false }];
    await recover({ db, retry: retryConfig() });
    const leased = await leaseEvents(db, { ...terms, events, leaseToken: tokens[worker], leaseSeconds: 60 });
    return leased.length > 0 ? 'gets it' : 'gets nothing';
  };

const settles =
  (worker: 'A' | 'B' | 'R', more?: Partial<Settlement>): Step =>
  async ({ id, runId }, db) => {
    const settlements = [aSettlement(id, tokens[worker], more)];
    const [settled] = await settleEvents(db, { runId: worker === 'R' ? runId : '0', settlements });
    if (settled?.isLocked) return 'locked';
    return settled ? 'counts' : 'stale';
  };

const released: Partial<Settlement> = { status: 'PENDING', outcome: null, retryInSeconds: null };

/** The steps by their names: A and B are workers of a tick, R is one of a replay. */
export const steps = {
  'A claims': claims('A'),
  'A delivers': settles('A'),
  'A releases': settles('A', released),
  'B claims': claims('B'),
  'B delivers': settles('B'),
  'R claims': claims('R'),
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
    const { action } = discard.read({ body, actor: 'ann', now: new Date() });
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
