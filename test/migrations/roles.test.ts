import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as v from 'valibot';
import { steps } from '../../functions/maintain/jobs.ts';
import {
  listAuditOperation,
  operationOf,
  restoreEventsOperation,
  undoActionOperation,
} from '../../functions/replay/action-operations.ts';
import { listEventsOperation, showEventOperation } from '../../functions/replay/event-operations.ts';
import { importEventsOperation } from '../../functions/replay/import-events.ts';
import {
  showScheduleOperation,
  showTargetOperation,
  stopOperation,
} from '../../functions/replay/target-operations.ts';
import { aggregateMeanwhile } from '../../functions/retry/retry.ts';
import { dropArchiveMonth } from '../../shared/archive/drop-expired.ts';
import { readArchived } from '../../shared/archive/export-month.ts';
import { probeCapture, storeCaptures } from '../../shared/capture/store-captures.ts';
import type { Database } from '../../shared/database/database.ts';
import { probes } from '../../shared/database/probes.ts';
import { listTargetNames, RoutesSchema } from '../../shared/delivery/routes.ts';
import { actions, reopen } from '../../shared/events/actions/actions.ts';
import { completeJob, readProgress, saveProgress } from '../../shared/jobs/job-state.ts';
import { describeEffects } from '../../shared/schedule/config-effects.ts';
import { recordTickRequest } from '../../shared/schedule/request-tick.ts';
import { joinRun, runTick } from '../../shared/schedule/run-tick.ts';
import { aCapture } from '../support/captures.ts';
import { operator } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { exampleInputs } from '../support/example-inputs.ts';
import { anEvent } from '../support/factories.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { retention } from '../support/retention.ts';
import { useConsolePages } from '../support/role-console.ts';
import { useGroups } from '../support/role-groups.ts';
import { prepareRuns, useRuns } from '../support/role-runs.ts';
import { actAs, isRefusal, listRevocations, openSession } from '../support/roles.ts';
import { retryConfig } from '../support/routes.ts';
import { pickVariant, sample } from '../support/sample.ts';

describe('a group role', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  let eventId = '';
  before(async () => {
    eventId = await anEvent(database(), { fingerprint: 'v1:known' });
    await anEvent(database(), { event_type: 'unrouted', fingerprint: null });
    const old = new Date(Date.now() - 500 * 86_400_000);
    const times = { created_at: old, first_failure_at: old, last_failure_at: old, processed_at: old };
    await anEvent(database(), { status: 'SUCCEEDED', ...times });
    await database().sql(
      `insert into dlq_error_groups (fingerprint, state, first_seen_at, last_seen_at, muted_until)
       values ('v1:muted', 'MUTED', now(), now(), now()), ('v1:known', 'OPEN', now(), now(), null),
         ('v1:other', 'OPEN', now(), now(), null)`,
    );
    await database().sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, split_field, split_value)
       values ('part:1', now(), now(), 'words', 'of nobody')`,
    );
    await prepareRuns(database(), deps(database().db));
  });

  const deps = (db: Database) => ({
    db,
    routes: v.parse(RoutesSchema, [
      {
        match: { eventType: 'order.*' },
        target: { kind: 'http', url: target().url },
        policy: { ratePerSecond: 100 },
        mask: ['$.orderId'],
      },
    ]),
    retry: retryConfig({ maxRetries: 3, maxEventsPerTick: 1000 }),
  });
  const caller = { name: 'local:ann', via: 'local', isOperator: true } as const;
  const run = async (db: Database, ...statements: string[]) => {
    for (const text of statements) await db.query({ text });
  };

  const functions: Record<string, (db: Database) => Promise<unknown>> = {
    dlq_capture: async (db) => {
      await storeCaptures({ db, repeatSeconds: 600 }, [aCapture()]);
      await run(db, `select dlq_capture('order.created', '{}')`);
      await probeCapture(db, false);
      await probeCapture(db, true);
    },
    dlq_writer: (db) =>
      run(
        db,
        `insert into dlq_events (event_type, payload, error_reason, error_stacktrace, status, retry_after)
         values ('order.created', '{}', 'timeout', 'at line 1', 'PENDING', now())`,
      ),
    dlq_retry: async (db) => {
      const { runId } = await aggregateMeanwhile(db, () => runTick(deps(db)));
      await joinRun(deps(db), runId ?? '');
      await probes.settlement(db);
      await describeEffects(db, deps(db));
    },
    dlq_replay: async (db) => {
      await probes.settlement(db);
      const api = { ...deps(db), costLimit: 500_000 };
      const ask = {
        params: { id: eventId },
        query: new URLSearchParams(),
        headers: {},
        text: '',
        now: new Date(),
        caller,
      };
      let auditId = '';
      for (const action of [reopen, ...actions]) {
        const body = { filter: { ids: eventId }, reason: 'a test', ...exampleInputs(action) };
        const done = await operationOf(action).handle(api, { ...ask, body });
        ({ auditId = '' } = (done && 'body' in done ? done.body : {}) as { auditId?: string });
      }
      await undoActionOperation.handle(api, { ...ask, params: { id: auditId }, body: { reason: 'a test' } });
      const imported = { lines: ['{"orderId": 7}'], key: 'a file', reason: 'a test' };
      await importEventsOperation.handle(api, { ...ask, body: imported });
      await restoreEventsOperation.handle(api, { ...ask, body: { ids: [eventId], reason: 'a test' } });
      await useRuns(api, ask, eventId);
      await useGroups(api, ask, { fingerprint: 'v1:known', into: 'v1:other' });
      const params = { target: listTargetNames(api.routes)[0] ?? '' };
      const stopped = await stopOperation.handle(api, { ...ask, body: { reason: 'a test' } });
      const { auditId: stopId = '' } = (stopped && 'body' in stopped ? stopped.body : {}) as {
        auditId?: string;
      };
      await undoActionOperation.handle(api, { ...ask, params: { id: stopId }, body: { reason: 'a test' } });
      await showTargetOperation.handle(api, { ...ask, params, body: undefined });
      await showScheduleOperation.handle(api, { ...ask, body: undefined });
      await recordTickRequest(db, { actor: caller.name, reason: 'a test' });
      for (const operation of [listEventsOperation, showEventOperation, listAuditOperation]) {
        await operation.handle(api, { ...ask, body: undefined });
      }
      const query = new URLSearchParams({ q: 'status:PROCESSING' });
      await listEventsOperation.handle(api, { ...ask, query, body: undefined });
    },
    dlq_console: async (db) => {
      await probes.reading(db);
      await useConsolePages(
        { ...deps(db), costLimit: 500_000, base: '/', identify: () => operator },
        { id: eventId, fingerprint: 'v1:known' },
      );
    },
    dlq_maintain: async (db) => {
      const later = Number.POSITIVE_INFINITY;
      await probes.archiving(db);
      await readArchived(db, { month: '2026-01-01', afterId: '0', limit: 1, maxBytes: 1 });
      await dropArchiveMonth(db, { month: '2026-01-01', exported: '0', afterId: '0', limit: 1 });
      await saveProgress(db, { name: 'purge', progress: null });
      await readProgress(db, { name: 'purge' });
      await completeJob(db, { name: 'purge' });
      for (const step of Object.values(steps).flatMap((each) => Object.values(each))) {
        await step({ db, routes: [], retry: retryConfig(), retention }, later);
      }
    },
  };

  const tried = pickVariant('role without needless rights', Object.keys(functions));
  for (const [role, work] of Object.entries(functions)) {
    it(`${role} has all rights that its function needs`, () => actAs(role, database(), { work }));

    if (!tried.includes(role)) continue;
    it(`${role} has no right that its function does not need`, async () => {
      const needless: string[] = [];
      const session = await openSession(database());
      for (const revocation of sample(await listRevocations(database(), role))) {
        const trial = session.act(role, { before: revocation, work });
        await trial.then(
          () => needless.push(revocation),
          (error) => assert.ok(isRefusal(error), error),
        );
      }
      await session.close();
      assert.deepEqual(needless, []);
    });
  }

  it('is tried here, unless it belongs to no function', async () => {
    const roles = await database().sql<{ rolname: string }>(
      `select rolname from pg_roles where rolname ~ '^dlq_[a-z]+$' and rolname <> 'dlq_owner'`,
    );
    const others = ['dlq_readonly', 'dlq_reporter'];
    assert.deepEqual(
      roles.map(({ rolname }) => rolname).sort(),
      [...Object.keys(functions), ...others].sort(),
    );
  });

  it('may not update or delete audit rows', async () => {
    const grants = await database().sql(
      `select relname, grantee::regrole::text as role, privilege_type
       from (
         select oid, relacl as acl from pg_class
         union all
         select attrelid, attacl from pg_attribute
       ) as granted
       join pg_class on pg_class.oid = granted.oid
       cross join lateral aclexplode(acl)
       where relname in ('dlq_audit', 'dlq_audit_events') and grantee <> relowner
         and privilege_type not in ('SELECT', 'INSERT')`,
    );
    assert.deepEqual(grants, []);
  });
});
