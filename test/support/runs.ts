import { randomUUID } from 'node:crypto';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import { leaseEvents } from '../../shared/delivery/lease.ts';
import type { ClaimedEvent } from '../../shared/delivery/leased-event.ts';
import { readMessages } from '../../shared/delivery/messages.ts';
import { createRun } from '../../shared/replay/create-run.ts';
import { getRun, type Progress, pickRun, type Run } from '../../shared/replay/run.ts';
import { type RunRequest, readRunRequest } from '../../shared/replay/run-request.ts';
import type { TestDatabase } from './database.ts';

type Asked = {
  /** Its idempotency key. */
  readonly key?: string;
  readonly [field: string]: unknown;
};

/** A request as `POST /runs` reads it, for every event and without a gate unless it says otherwise. */
export function aRunRequest({ key, ...body }: Asked = {}): RunRequest {
  const filter = { capturedAfter: '2000-01-01' };
  const raw = JSON.stringify({ filter, pace: 'ungated', reason: 'a test', ...body });
  return readRunRequest({ raw, key, now: new Date() });
}

/** Makes a run as Ada. */
export async function aRun(deps: Pick<DeliveryDeps, 'db' | 'routes'>, body: Asked = {}): Promise<Run> {
  return (await createRun({ ...deps, costLimit: 0 }, aRunRequest(body), 'ada')).run;
}

/** Where a run stands by its row. Fails where its events say something else. */
export async function progressOf({ db, sql }: TestDatabase, runId: string): Promise<Progress> {
  const { selected, delivered, failed, skipped, waiting, inFlight } = await getRun(db, runId);
  const progress = { selected, delivered, failed, skipped, waiting, inFlight };
  const [counted] = await sql<Progress>(
    `select
       count(*)::int as selected,
       count(*) filter (where outcome = 'delivered')::int as delivered,
       count(*) filter (where outcome = 'failed')::int as failed,
       count(*) filter (where outcome = 'skipped')::int as skipped,
       count(*) filter (where outcome = 'waiting')::int as waiting,
       count(*) filter (where is_leased)::int as "inFlight"
     from dlq_run_events where run_id = $1`,
    [runId],
  );
  if (JSON.stringify(counted) === JSON.stringify(progress)) return progress;
  throw new Error(`The run says ${JSON.stringify(progress)}, its events ${JSON.stringify(counted)}.`);
}

/**
 * Leases the next events of a run and begins to send them, as a worker does that dies then, or before if not
 * `isSent`.
 */
export async function claimAndDie(
  { db }: TestDatabase,
  { id }: Run,
  { isSent = true } = {},
): Promise<ClaimedEvent[]> {
  const leaseToken = randomUUID();
  const waiting = await pickRun(db, { runId: id, after: 0, max: 1000, hasOrdered: false });
  const events = await leaseEvents(db, {
    runId: id,
    events: waiting.map((event) => ({ id: event.id, isOrdered: false })),
    dueAt: null,
    upTo: 1000,
    leaseToken,
    leaseSeconds: 60,
  });
  const keys = events.map(({ id }) => ({ id, leaseToken, target: 'http://shop/' }));
  if (isSent) await readMessages(db, { events: keys, maxBytes: 2 ** 15, maxTotal: 2 ** 20 });
  return events;
}

/** Time passes until every lease is over. */
export async function endLeases({ sql }: { sql(text: string): Promise<unknown> }): Promise<void> {
  await sql(
    `with events as (update dlq_events set lease_expires_at = now() where lease_expires_at is not null)
     update dlq_leases set leased_at = now() - make_interval(secs => seconds)
     where target is null and seconds < 1e9`,
  );
}
