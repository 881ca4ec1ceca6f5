import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { causeOf } from '../../../shared/delivery/cause.ts';
import { countDue } from '../../../shared/schedule/count-due.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { holdTarget } from '../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { countReadsOf } from '../../support/plans.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('the forecast of a tick', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const urlOf = (name: string) => `${target().url}${name}`;
  const names = ['free', 'down', 'probed', 'held', 'ordered', 'paused', 'old'];
  const deps = (settings = {}) => ({
    db: database().db,
    retry: retryConfig(settings),
    costLimit: 0,
    routes: names.map((name) =>
      aRouteTo(urlOf(name), {
        match: { eventType: `${name}.*` },
        ordered: name === 'ordered',
        ...(name === 'old' && { policy: { maxAge: '1h' } }),
      }),
    ),
  });
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const breaker = (name: string, probeAfter: Date) =>
    database().sql(
      `insert into dlq_breakers (target, state, opened_at, cooldown_seconds, probe_after) values ($1, 'OPEN', now(), 600, $2)`,
      [urlOf(name), probeAfter],
    );
  const predict = async (settings = {}) => {
    const found = await forecast(deps(settings), await readSnapshot(deps(settings)));
    const byName = found.items.map(({ target: url, state, due, heldBack }) => [
      url?.split('/').at(-1) ?? 'no route',
      { state, due, heldBack },
    ]);
    return { ...found, byName: Object.fromEntries(byName) };
  };
  beforeEach(() => database().clear());

  it('names for each target what the tick then claims, and what holds the rest', async () => {
    for (const name of [...names.slice(0, 4), 'unrouted']) await manyEvents(database(), 3, `${name}.a`);
    await breaker('down', inMinutes(5));
    await breaker('probed', inMinutes(-1));
    await holdTarget(deps(), { target: urlOf('held'), actor: 'ann', reason: 'maintenance' });
    const ordered = { event_type: 'ordered.a', source_key: 'k' };
    await anEvent(database(), ordered);
    await anEvent(database(), { ...ordered, source_key: 'later', retry_after: inMinutes(30) });
    for (const key of ['k', 'later']) await anEvent(database(), { ...ordered, source_key: key });
    await anEvent(database(), { event_type: 'free.a', status: 'PROCESSING' });
    const predicted = await predict();

    assert.deepEqual(predicted.byName, {
      free: { state: 'open', due: 3, heldBack: 0 },
      down: { state: 'down', due: 0, heldBack: 3 },
      probed: { state: 'probe', due: 1, heldBack: 2 },
      held: { state: 'held', due: 0, heldBack: 3 },
      ordered: { state: 'open', due: 2, heldBack: 1 },
      'no route': { state: 'no-route', due: 0, heldBack: 3 },
    });
    target().answer = ({ path }, response) => response.writeHead(path === '/probed' ? 503 : 200).end();
    const { targets, tally } = await runTick(deps());
    assert.equal(predicted.nextTick, tally.claimed);
    for (const { target: url, due } of predicted.items) {
      assert.equal(targets[url ?? '']?.claimed ?? 0, due, url ?? 'no route');
    }
  });

  it('counts no event behind one whose own target, cause or route keeps it back', async () => {
    const waiting: Record<string, Record<string, unknown>> = {
      held: {},
      down: {},
      paused: {},
      unrouted: {},
      old: { created_at: inMinutes(-120) },
      failing: { cause: causeOf(urlOf('ordered'), 'no') },
    };
    const types: Record<string, string> = { failing: 'ordered.a' };
    for (const [key, columns] of Object.entries(waiting)) {
      await anEvent(database(), { event_type: types[key] ?? `${key}.a`, source_key: key, ...columns });
      await anEvent(database(), { event_type: 'ordered.b', source_key: key });
    }
    await holdTarget(deps(), { target: urlOf('held'), actor: 'ann', reason: 'maintenance' });
    await breaker('down', inMinutes(5));
    await database().sql(
      `insert into dlq_breakers (target, cause, state, opened_at, cooldown_seconds, probe_after, paused_until, pace, peak)
       values ($1, 0, 'CLOSED', null, null, null, $4, 1, 1), ($2, $3, 'OPEN', now(), 600, $4, null, null, null)`,
      [urlOf('paused'), urlOf('ordered'), causeOf(urlOf('ordered'), 'no'), inMinutes(5)],
    );
    const predicted = await predict();

    assert.deepEqual(predicted.byName.ordered, { state: 'open', due: 0, heldBack: 7 });
    assert.deepEqual(predicted.byName.paused, { state: 'paused', due: 0, heldBack: 1 });
    assert.deepEqual(predicted.byName.old, { state: 'open', due: 0, heldBack: 1 });
    assert.equal(predicted.items.find(({ target: url }) => url === urlOf('old'))?.refused, 1);
    assert.equal((await runTick(deps())).tally.claimed, 0);
  });

  it('counts no event behind one whose cause failed at a target that its route no longer has', async () => {
    const cause = causeOf(urlOf('renamed'), 'no');
    await database().sql(
      `insert into dlq_breakers (target, cause, state, opened_at, cooldown_seconds, probe_after)
       values ($1, $2, 'OPEN', now(), 600, $3)`,
      [urlOf('renamed'), cause, inMinutes(5)],
    );
    await anEvent(database(), { event_type: 'ordered.a', source_key: 'k', cause });
    await anEvent(database(), { event_type: 'ordered.a', source_key: 'k' });

    assert.deepEqual((await predict()).byName.ordered, { state: 'open', due: 2, heldBack: 0 });
    assert.equal((await runTick(deps())).tally.claimed, 2);
  });

  it('counts no event behind one in the middle of its key whose time has not come', async () => {
    for (const retry_after of [inMinutes(-1), inMinutes(30), inMinutes(-1)]) {
      await anEvent(database(), { event_type: 'ordered.a', source_key: 'k', retry_after });
    }
    const predicted = await predict();

    assert.deepEqual(predicted.byName.ordered, { state: 'open', due: 1, heldBack: 1 });
    assert.equal((await runTick(deps())).tally.claimed, 1);
  });

  const middles: Record<string, Record<string, unknown>> = {
    'has failed permanently': { status: 'FAILED_PERMANENTLY' },
    'waits for longer than an hour': { retry_after: inMinutes(120) },
    'is on a route without an order, and waits': { event_type: 'free.a', retry_after: inMinutes(30) },
    'is on the route of a held target': { event_type: 'held.a' },
  };
  for (const [middle, columns] of Object.entries(middles)) {
    it(`counts no event behind one in the middle of its key that ${middle}`, async () => {
      await holdTarget(deps(), { target: urlOf('held'), actor: 'ann', reason: 'maintenance' });
      const add = (own = {}) => anEvent(database(), { event_type: 'ordered.a', source_key: 'k', ...own });
      for (let n = 0; n < 2; n += 1) await add();
      const stop = await add(columns);
      await add();
      const predicted = await predict();

      const [item] = predicted.items.filter(({ target: url }) => url === urlOf('ordered'));
      assert.deepEqual([item?.due, item?.behindKey, item?.blockers], [2, 1, [stop]]);
      assert.equal((await runTick(deps())).tally.claimed, 2);
    });
  }

  it('counts no event behind one of its partition that has a lower offset, also if it was captured first', async () => {
    const add = (source_offset: number, own = {}, source_partition = 3) =>
      anEvent(database(), {
        event_type: 'ordered.a',
        source_key: 'k',
        source_partition,
        source_offset,
        ...own,
      });
    await add(10);
    await add(12);
    await add(7, {}, 1);
    const stop = await add(11, { retry_after: inMinutes(30) });
    await add(8, {}, 1);
    const predicted = await predict();

    const [item] = predicted.items;
    assert.deepEqual([item?.due, item?.behindKey, item?.blockers], [2, 2, [stop]]);
    assert.equal((await runTick(deps())).tally.claimed, 2);
  });

  it('names the events that become due within the hour, and the first of them', async () => {
    const first = inMinutes(20);
    for (const retryAfter of [inMinutes(40), first, inMinutes(80)]) {
      await anEvent(database(), { event_type: 'free.a', retry_after: retryAfter });
    }
    const [item] = (await predict()).items;
    assert.deepEqual([item?.due, item?.soon, item?.earliest], [0, 2, first]);
  });

  it('knows the limit of a tick, and that retries are switched off', async () => {
    await manyEvents(database(), 5, 'free.a');
    assert.equal((await predict({ maxEventsPerTick: 2 })).nextTick, 2);
    assert.equal((await predict({ enabled: false })).nextTick, 0);
  });

  it('reads a bounded number of events of many keys, however many each key has', async () => {
    await manyEvents(database(), 60_000, 'ordered.a');
    await database().sql(`update dlq_events set source_key = 'key ' || (id % 400)`);
    await database().sql('vacuum analyze dlq_events');
    const { lanes } = await readSnapshot(deps());
    const reads = await countReadsOf(database(), (db) => countDue(db, lanes));
    assert.ok(reads < 30_000, `${reads} were read`);
  });

  it('counts a large backlog up to a limit, and says so', async () => {
    await manyEvents(database(), 10_001, 'free.a');
    await anEvent(database(), { event_type: 'held.a' });
    const { lanes } = await readSnapshot(deps());
    const counts = await countDue(
      database().db,
      lanes.map((lane) => ({ ...lane, isStopped: false })),
    );
    assert.deepEqual(counts.map(({ events, isExact }) => [events, isExact]).sort(), [
      [1, true],
      [10_000, false],
    ]);
  });
});
