import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeRun } from '../../shared/replay/run.ts';
import { continueReplays } from '../../shared/replay/work-on-replay.ts';
import { anEvent } from '../support/factories.ts';
import { aRun } from '../support/runs.ts';
import { useService } from '../support/service-beside-sql.ts';

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

  it('leave the captures and attempts of others: DELETE', async () => {
    const [id, other] = [await anEvent(database()), await anEvent(database())];
    for (const eventId of [id, other]) {
      await database().sql(`insert into dlq_captures (event_id, failure, facts) values ($1, 1, '{}')`, [
        eventId,
      ]);
      await database().sql(
        `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
         values ($1, 1, 'transient', 'http://shop/', now(), 1)`,
        [eventId],
      );
    }
    await database().sql('delete from dlq_events where id = $1', [id]);
    const left = 'select event_id from dlq_captures union all select event_id from dlq_attempts';
    assert.deepEqual(await database().sql(left), Array(2).fill({ event_id: other }));
  });

  for (const [what, id, columns] of [
    ['an entry of the audit names', 50, "dlq_audit (event_id, action) values ($1, 'unmask')"],
    ['an action changed', 70, 'dlq_audit_events (event_id, audit_id) values ($1, 1)'],
  ] as const)
    it(`leave the id of an event that ${what}, after TRUNCATE ... RESTART IDENTITY`, async () => {
      await database().sql(`insert into ${columns}`, [id]);
      await database().sql('truncate dlq_events restart identity');
      assert.ok(Number(await anEvent(database())) > id);
    });

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
    await anEvent(database(), { id: 999 });
    await database().sql(
      `insert into dlq_events (id, event_key, event_type, payload)
       values (1001, 'id:order-9', 'order.created', '{}'), (1000, 'id:order-8', 'order.created', '{}')`,
    );

    assert.ok(Number(await anEvent(database())) > 1_001);
    assert.ok(Number(await capture({})) > 1_001);
  });

  it('below that of the sequence do not set it back', async () => {
    for (const id of [3_000, 2_500]) await anEvent(database(), { id });
    assert.ok(Number(await anEvent(database())) > 3_000);
  });

  it('are refused as an id that no redelivery could bring back, and after which no other follows', async () => {
    for (const id of ['0', '-5', '9000000000000000000', '9223372036854775807']) {
      await assert.rejects(anEvent(database(), { id }), { constraint: 'dlq_events_ids' });
    }
    await capture({});
  });

  it('are refused in an UPDATE of an id, which captures, attempts and the audit name', async () => {
    const id = await capture({});
    await assert.rejects(database().sql('update dlq_events set id = id + 1 where id = $1', [id]), {
      message: `dlq_events.id: event ${id} keeps its id: its attempts, captures and audit have it`,
      hint: 'INSERT a row with the other id, and DELETE this one.',
    });
    await database().sql('update dlq_events set id = id, priority = 2 where id = $1', [id]);
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

  for (const column of ['event_type', 'source_kind', 'payload']) {
    it(`are refused by the name of the column that has no value: ${column}`, async () => {
      await assert.rejects(anEvent(database(), { [column]: null }), { column });
    });
  }

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
