import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { DeliveryDeps } from '../../../shared/delivery/delivery-deps.ts';
import { statuses } from '../../../shared/message/event.ts';
import { changeRun, getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, endLeases, progressOf } from '../../support/runs.ts';

const oneMinuteFromNow = () => Date.now() + 60_000;

describe('a run that is worked on', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = (more: Partial<DeliveryDeps> = {}): DeliveryDeps => ({
    db: database().db,
    routes: [aRouteTo(target().url)],
    retry: retryConfig({ batchSize: 10 }),
    ...more,
  });
  const event = (columns = {}) => anEvent(database(), columns);
  const progress = (runId: string) => progressOf(database(), runId);
  const reasons = () =>
    database().sql('select reason, count(*)::int as events from dlq_run_events group by 1');
  const fail = (status: number) => {
    target().answer = (_, response) => response.writeHead(status).end();
  };

  it('delivers its selection, each event once, and ends', async () => {
    await manyEvents(database(), 35);
    const { id } = await aRun(deps());
    assert.equal(await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() }), 'ended');

    const done = { selected: 35, delivered: 35, failed: 0, skipped: 0, waiting: 0, inFlight: 0 };
    assert.deepEqual(await progress(id), done);
    assert.equal(new Set(target().received.map(({ body }) => body.toString())).size, 35);
    assert.equal((await getRun(database().db, id)).stopped, 'all done');
  });

  it('is shared by several workers, and no event is delivered twice', async () => {
    await manyEvents(database(), 300);
    const { id } = await aRun(deps());
    await Promise.all([1, 2, 3, 4].map(() => workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() })));

    assert.equal(target().received.length, 300);
    assert.equal((await progress(id)).delivered, 300);
  });

  it('does not include events that fail after it was created', async () => {
    await manyEvents(database(), 20);
    const { id } = await aRun(deps());
    target().answer = (_, response) => {
      manyEvents(database(), 50).then(
        () => response.end(),
        () => response.destroy(),
      );
    };
    await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() });

    assert.equal((await progress(id)).selected, 20);
    const waiting = await database().sql("select from dlq_events where status = 'PENDING'");
    assert.deepEqual([target().received.length, waiting.length], [20, 1000]);
  });

  for (const [what, change, reason] of [
    ['was delivered', `status = 'SUCCEEDED'`, 'delivered'],
    ['was discarded', `status = 'DISCARDED'`, 'discarded'],
    ['failed at its consumer again', 'failure_count = failure_count + 1', 'captured-again'],
    ['is being delivered by another worker', `status = 'PROCESSING'`, 'leased'],
  ] as const) {
    it(`skips an event that ${what} after its selection`, async () => {
      await event();
      const changed = await event();
      const { id } = await aRun(deps());
      await database().sql(`update dlq_events set ${change} where id = $1`, [changed]);
      await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() });

      const { delivered, skipped } = await progress(id);
      assert.deepEqual([delivered, skipped, target().received.length], [1, 1, 1]);
      assert.deepEqual(
        (await reasons()).filter((each) => each.reason),
        [{ reason, events: 1 }],
      );
    });
  }

  it('leaves an event that its target had refused to the next tick, if the target is down now', async () => {
    fail(422);
    const refused = await event();
    await runTick(deps());
    fail(503);
    const { id } = await aRun(deps(), { filter: { ids: [refused] } });
    await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() });
    fail(200);
    await database().sql('update dlq_events set retry_after = now()');
    await runTick(deps());
    const [row] = await database().sql('select status, delivery_count from dlq_events');
    assert.deepEqual(row, { status: 'SUCCEEDED', delivery_count: 3 });
  });

  it('skips deleted events', async () => {
    const gone = await event();
    const { id } = await aRun(deps());
    await database().sql('delete from dlq_events where id = $1', [gone]);
    await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() });
    assert.deepEqual(await reasons(), [{ reason: 'gone', events: 1 }]);
  });

  it('leaves events that no route matches here to other workers, and delivers the rest', async () => {
    await event();
    await event({ event_type: 'invoice.created' });
    const { id } = await aRun(deps());
    const lacking = deps({ routes: [aRouteTo(target().url, { match: { eventType: 'order.*' } })] });
    assert.equal(await workOnReplay(lacking, id, { endsAt: oneMinuteFromNow() }), 'no route');
    const { delivered, skipped, waiting } = await progress(id);
    assert.deepEqual([delivered, skipped, waiting], [1, 0, 1]);
    assert.equal(await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() }), 'ended');
  });

  it('counts a failure, and leaves the event to the schedule with all its retries', async () => {
    fail(503);
    await event({ status: 'FAILED_PERMANENTLY', retry_count: 2 });
    const { id } = await aRun(deps());
    await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() });

    assert.equal((await progress(id)).failed, 1);
    const [row] = await database().sql('select status, retry_count from dlq_events');
    assert.deepEqual(row, { status: 'PENDING', retry_count: 1 });
  });

  for (const status of ['PENDING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED']) {
    it(`restores an event to ${status} if its time is spent`, async () => {
      await event({
        status,
        retry_after: '2026-01-02',
        processed_at: status === 'PENDING' ? null : '2026-01-03',
      });
      const { id } = await aRun(deps(), { filter: { status: statuses } });
      const read = () =>
        database().sql('select status, retry_after, processed_at, retry_count, lease_token from dlq_events');
      const before = await read();
      const hurried = deps({ retry: retryConfig({ leaseSeconds: 1 }) });
      const endsAt = Date.now() + 200;
      assert.equal(await workOnReplay(hurried, id, { endsAt }), 'time budget spent');

      assert.deepEqual([await read(), target().received.length], [before, 0]);
      assert.equal((await progress(id)).waiting, 1);
    });
  }

  it('delivers an event whose worker in a tick has died', async () => {
    await event();
    await database().sql("update dlq_events set status = 'PROCESSING'");
    await endLeases(database());
    const { id } = await aRun(deps());
    await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() });
    assert.equal((await progress(id)).delivered, 1);
  });

  it('respects its own rate, and that of its route', async () => {
    await manyEvents(database(), 30);
    const { id } = await aRun(deps(), { ratePerSecond: 20 });
    const startedAt = Date.now();
    await Promise.all([1, 2].map(() => workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() })));
    // 20 at once from the full bucket, and 10 more at 20 per second.
    assert.ok(Date.now() - startedAt >= 450);
    assert.equal((await progress(id)).delivered, 30);
  });

  it('delivers the events of a key in order of capture on an ordered route, with several workers', async () => {
    for (let i = 0; i < 20; i++) await event({ source_key: `${i % 2}`, body: Buffer.from(`${i}`) });
    const ordered = deps({ routes: [aRouteTo(target().url, { ordered: true })] });
    const { id } = await aRun(ordered);
    await Promise.all([1, 2, 3].map(() => workOnReplay(ordered, id, { endsAt: oneMinuteFromNow() })));

    const bodies = target().received.map(({ body }) => Number(body.toString()));
    for (const parity of [0, 1]) {
      const ofKey = bodies.filter((n) => n % 2 === parity);
      assert.deepEqual([ofKey.length, ofKey], [10, ofKey.toSorted((a, b) => a - b)]);
    }
  });

  it('skips events that an earlier event of their key blocks on an ordered route', async () => {
    await event({ source_key: 'a', event_type: 'order.created' });
    const later = await event({ source_key: 'a', event_type: 'order.created' });
    const ordered = deps({ routes: [aRouteTo(target().url, { ordered: true })] });
    const { id } = await aRun(ordered, { filter: { ids: [later] } });
    await workOnReplay(ordered, id, { endsAt: oneMinuteFromNow() });
    assert.deepEqual(await reasons(), [{ reason: 'held-back', events: 1 }]);
  });

  it('delivers to its named target, and restores the event after a failure there', async () => {
    await event({ status: 'FAILED_PERMANENTLY' });
    const routes = [aRouteTo('http://127.0.0.1:1/'), aRouteTo(`${target().url}other`)];
    fail(503);
    const { id } = await aRun(deps({ routes }), { target: `${target().url}other` });
    const before = await database().sql(
      'select status, retry_count, processed_at, failure_kind from dlq_events',
    );
    await workOnReplay(deps({ routes }), id, { endsAt: oneMinuteFromNow() });

    assert.deepEqual(
      [target().received.map(({ path }) => path), (await progress(id)).failed],
      [['/other'], 1],
    );
    assert.deepEqual(
      await database().sql('select status, retry_count, processed_at, failure_kind from dlq_events'),
      before,
    );
  });

  it('waits for a worker with a route to its target', async () => {
    await event();
    const { id } = await aRun(deps(), { target: target().url });
    const elsewhere = deps({ routes: [aRouteTo('http://127.0.0.1:1/')] });
    assert.equal(await workOnReplay(elsewhere, id, { endsAt: oneMinuteFromNow() }), 'no route');
    const { waiting } = await progress(id);
    assert.deepEqual([waiting, (await getRun(database().db, id)).pausedBecause], [1, null]);
  });

  it('claims nothing while it is paused or cancelled, and the rest when it is resumed', async () => {
    await manyEvents(database(), 10);
    const { id } = await aRun(deps());
    const action = { runId: id, actor: 'ada', reason: null };
    await changeRun(database().db, 'pause', action);
    assert.equal(await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() }), 'paused');
    assert.equal(target().received.length, 0);

    await changeRun(database().db, 'resume', action);
    assert.equal(await workOnReplay(deps(), id, { endsAt: oneMinuteFromNow() }), 'ended');
    assert.equal(target().received.length, 10);
  });
});
