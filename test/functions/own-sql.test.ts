import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { changeRun } from '../../shared/replay/change-run.ts';
import { continueReplays } from '../../shared/replay/work-on-replay.ts';
import { runTick } from '../../shared/schedule/run-tick.ts';
import { useApi } from '../support/api.ts';
import { aCapture } from '../support/captures.ts';
import { useConsole } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { aRoute, aRouteTo, retryConfig } from '../support/routes.ts';
import { aRun } from '../support/runs.ts';
import { readBodies } from '../support/stored-bodies.ts';

/** Everything that shows or sends messages, beside the SQL of operators. */
function useService() {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [aRoute({ match: { eventType: 'order.*' }, target: { kind: 'http', url: 'http://shop/' } })];
  const api = useApi(database, { routes });
  const served = useConsole(database, { routes });
  beforeEach(() =>
    database().sql(
      'truncate dlq_events, dlq_attempts, dlq_captures, dlq_runs, dlq_run_workers, dlq_run_events, dlq_breakers restart identity cascade',
    ),
  );
  const deps = () => ({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
  const capture = async (facts: Parameters<typeof aCapture>[0]) => {
    const [stored] = await storeCaptures({ db: database().db, maxRecurrences: 3, repeatSeconds: 600 }, [
      aCapture(facts),
    ]);
    return stored?.id ?? '';
  };
  const page = async (path: string) => {
    const response = await fetch(`${served().url}/${path}`);
    return { status: response.status, text: await response.text() };
  };
  const tick = async () => {
    await runTick(deps());
    return target().received.map(({ body }) => body.toString());
  };
  return { database, target, api, deps, capture, page, tick };
}

describe('a payload that an operator changes in SQL', () => {
  const { database, api, capture, page, tick } = useService();
  const large = `{"orderId": 1, "text": "${'x'.repeat(300_000)}"}`;
  const sources: Record<string, () => Promise<string>> = {
    'captured JSON': () => capture({ body: Buffer.from('{ "orderId" : 1, "b": 1, "a": 2 }') }),
    'captured JSON of 300 kB': () => capture({ body: Buffer.from(large) }),
    'a captured text': () =>
      capture({ body: Buffer.from('order 1'), isJson: false, contentType: 'text/plain' }),
    'captured bytes': () => capture({ body: Buffer.from([0xff, 0, 1]), isJson: false }),
    'a captured message without a body': () => capture({ body: Buffer.alloc(0), isJson: false }),
    'a report': async () => {
      const [row] = await database().sql<{ id: string }>(
        `select dlq_capture('order.created', '{"orderId": 1}', 'timeout', event_id => 'order-1') as id`,
      );
      return row?.id ?? '';
    },
    'an inserted row': async () => {
      const [row] = await database().sql<{ id: string }>(
        `insert into dlq_events (event_type, payload) values ('order.created', '{"orderId": 1}') returning id`,
      );
      return row?.id ?? '';
    },
  };
  const change = (id: string) =>
    database().sql(`update dlq_events set payload = '{"currency": "EUR"}' where id = $1`, [id]);

  for (const [source, store] of Object.entries(sources)) {
    it(`is the message that every page shows and a delivery sends: ${source}`, async () => {
      const id = await store();
      await change(id);
      const shown = await api().get<{ event: { bodyBase64: string } }>(`/events/${id}`);
      const patch = [{ op: 'add', path: '/checked', value: true }];
      const dryRun = { filter: { ids: [id] }, reason: 'x', dryRun: true, patch };
      const preview = await api().post<{ samples: { before: { body: string } }[] }>('/runs', dryRun);
      const download = await page(`events/${id}/body`);

      const changed = '{"currency": "EUR"}';
      assert.equal(Buffer.from(shown.body.event.bodyBase64, 'base64').toString(), changed);
      assert.equal(preview.body.samples[0]?.before.body, changed);
      assert.equal(download.text, changed);
      assert.match((await page(`events/${id}`)).text, /EUR/);
      assert.deepEqual(await tick(), [changed]);
    });
  }

  for (const [source, store] of Object.entries(sources).filter(([name]) => /captured/.test(name))) {
    it(`leaves the exact bytes to the original, once, and the page shows them: ${source}`, async () => {
      const id = await store();
      const [before] = await readBodies(database());
      await change(id);
      await database().sql(`update dlq_events set payload = '{"currency": "USD"}'`);

      const { body } = await api().get<{ captures: { kind: string; bodyBase64: string }[] }>(`/events/${id}`);
      assert.deepEqual(
        body.captures.map(({ kind, bodyBase64 }) => [kind, Buffer.from(bodyBase64, 'base64')]),
        [['original', before]],
      );
      const { text } = await page(`events/${id}`);
      assert.match(text, /<h2 id="captures">Captures.*Original/s);
    });
  }

  it('stays a text if it is one', async () => {
    await capture({ body: Buffer.from('order 1'), isJson: false, contentType: 'text/plain' });
    await database().sql(`update dlq_events set payload = '"order 2"'`);

    assert.deepEqual(await tick(), ['order 2']);
  });

  it('leaves another capture of the original a capture of the same event', async () => {
    const [first, again] = [aCapture({ deliveryId: 'd1' }), aCapture({ deliveryId: 'd2' })];
    const id = await capture(first);
    await change(id);

    assert.equal(await capture(again), id);
    assert.deepEqual(await database().sql('select payload from dlq_events'), [
      { payload: { currency: 'EUR' } },
    ]);
  });

  it('leaves the bytes of an event whose payload is set to what it was', async () => {
    await capture({ body: Buffer.from('{ "orderId" : 1 }') });
    await database().sql('update dlq_events set payload = payload, priority = 3');

    assert.deepEqual(await tick(), ['{ "orderId" : 1 }']);
  });
});

describe('a value that cannot be printed back', () => {
  const { database, api, page, tick } = useService();

  it('ends no page, list, export or preview, and no delivery of others', async () => {
    const bad = await anEvent(database(), { body: null, payload: '[1]', payload_encoding: 'base64' });
    await anEvent(database(), { body: null, payload: '"=x"', payload_encoding: 'base64' });
    await anEvent(database(), { body: null, payload: '{}', payload_encoding: 'text' });
    await anEvent(database(), { body: null, payload: '{"n": 1}', printed_as: '5 zz' });
    await anEvent(database(), { body: null, payload: '{"n": 2}', printed_as: 'zz' });
    const filter = { eventType: 'order.*' };
    const patch = [{ op: 'add', path: '/checked', value: true }];

    assert.equal((await page(`events/${bad}`)).status, 200);
    assert.equal((await page('events?q=type:order.*')).status, 200);
    assert.equal((await api().get(`/events/${bad}`)).status, 200);
    assert.equal((await page('events/export?format=ndjson')).status, 200);
    assert.equal((await api().post('/runs', { filter, reason: 'x', dryRun: true, patch })).status, 200);
    assert.deepEqual((await tick()).toSorted(), ['"=x"', '[1]', '{"n": 1}', '{"n": 2}', '{}']);
  });
});

describe('events that an operator deletes in SQL', () => {
  const { database, target, deps, capture } = useService();
  const pausedRun = async () => {
    for (const n of [1, 2, 3]) await anEvent(database(), { payload: `{"n": ${n}}`, body: null });
    const run = await aRun(deps());
    await changeRun(database().db, 'pause', { runId: run.id, actor: 'ada', reason: null });
    return run.id;
  };
  const outcomes = (runId: string) =>
    database().sql('select outcome, reason from dlq_run_events where run_id = $1 group by 1, 2', [runId]);

  for (const [how, sql] of [
    ['TRUNCATE ... RESTART IDENTITY', 'truncate dlq_events restart identity'],
    ['TRUNCATE ... CASCADE', 'truncate dlq_events cascade'],
    ['DELETE', 'delete from dlq_events'],
  ] as const) {
    it(`are gone for a paused replay, and others take no place of theirs: ${how}`, async () => {
      const runId = await pausedRun();
      await database().sql(sql);
      for (const n of [4, 5, 6]) await anEvent(database(), { payload: `{"n": ${n}}`, body: null });
      await changeRun(database().db, 'resume', { runId, actor: 'ada', reason: null }).catch(() => {});
      await continueReplays(deps(), Date.now() + 60_000);

      assert.deepEqual(await outcomes(runId), [{ outcome: 'skipped', reason: 'gone' }]);
      assert.deepEqual(target().received.length, 0);
    });

    it(`take their captures and attempts with them: ${how}`, async () => {
      const id = await capture({});
      await database().sql(`insert into dlq_captures (event_id, failure, facts) values ($1, 1, '{}')`, [id]);
      await database().sql(
        `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
         values ($1, 1, 'transient', 'http://shop/', now(), 1)`,
        [id],
      );
      await database().sql(sql);

      const left = 'select event_id from dlq_captures union all select event_id from dlq_attempts';
      assert.deepEqual(await database().sql(left), []);
    });
  }

  it('leave what belongs to archived events, and their ids, after TRUNCATE ... RESTART IDENTITY', async () => {
    await anEvent(database(), { id: 40, status: 'SUCCEEDED' });
    await database().sql(
      `with closed as (delete from dlq_events returning *) insert into dlq_events_archive select * from closed`,
    );
    await database().sql(`insert into dlq_captures (event_id, failure, facts) values (40, 1, '{}')`);
    await database().sql('truncate dlq_events restart identity');

    assert.deepEqual(await database().sql('select event_id from dlq_captures'), [{ event_id: '40' }]);
    assert.ok(Number(await anEvent(database())) > 40);
    await database().sql('truncate dlq_events_archive');
  });
});

describe('ids and statuses that an operator sets in SQL', () => {
  const { database, capture, tick } = useService();

  it('above those of the sequence harm no later capture and no INSERT', async () => {
    await anEvent(database(), { id: 1_000 });
    await anEvent(database(), { id: 1_001, event_key: 'id:order-9' });

    assert.ok(Number(await capture({})) > 1_001);
    assert.ok(Number(await anEvent(database())) > 1_001);
  });

  for (const status of ['pending', 'retrying', '']) {
    it(`are refused with the allowed words: status '${status}'`, async () => {
      await anEvent(database());

      const words = `'${status}' is not one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED`;
      const update = database().sql('update dlq_events set status = $1', [status]);
      await assert.rejects(update, { message: `dlq_events.status: ${words}` });
    });
  }

  it('are refused with the allowed words: status NULL, in an INSERT, too', async () => {
    const words =
      'dlq_events.status: NULL is not one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED';
    await assert.rejects(anEvent(database(), { status: null }), { message: words });
  });

  for (const [how, statements] of [
    ['in one step', [`update dlq_events set status = 'SUCCEEDED', processed_at = now()`]],
    [
      'after a claim',
      [`update dlq_events set status = 'PROCESSING'`, `update dlq_events set status = 'SUCCEEDED'`],
    ],
  ] as const) {
    it(`SUCCEEDED counts as a delivery, so that a failure reported after it is heard: ${how}`, async () => {
      const id = await capture({ deliveryId: 'd1' });
      for (const statement of statements) await database().sql(statement);

      assert.equal(await capture({ deliveryId: 'd2', errorReason: 'again' }), id);
      const [event] = await database().sql('select status, failure_count from dlq_events');
      assert.deepEqual(event, { status: 'PENDING', failure_count: 2 });
    });
  }

  it('back to PENDING after an own try counts as its failure: the same report is another voice of it', async () => {
    await capture({ deliveryId: 'd1' });
    await database().sql(`update dlq_events set status = 'PROCESSING'`);
    await database().sql(`update dlq_events set status = 'PENDING'`);
    await capture({ deliveryId: 'd2', errorReason: 'again' });

    const [event] = await database().sql(
      'select delivery_count, failed_delivery, failure_count from dlq_events',
    );
    assert.deepEqual(event, { delivery_count: 1, failed_delivery: 1, failure_count: 1 });
  });

  it('PENDING sends a delivered event again, with the next number', async () => {
    await anEvent(database());
    await tick();
    await database().sql(`update dlq_events set status = 'PENDING'`);
    await tick();

    const attempts = await database().sql('select number, outcome from dlq_attempts order by id');
    assert.deepEqual(attempts, [
      { number: 1, outcome: 'delivered' },
      { number: 2, outcome: 'delivered' },
    ]);
  });
});
