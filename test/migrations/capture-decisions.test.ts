import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

describe('the decision of an application that calls dlq_capture', () => {
  const database = useDatabase();
  const capture = (more = '') =>
    database().sql(
      `select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', event_id => 'order-1'${more})`,
    );
  const row = async () => {
    const [found, ...others] = await database().sql(
      `select status, failure_kind, max_retries, priority, metadata, failure_count,
         round(extract(epoch from retry_after - now()))::int as wait
       from dlq_events`,
    );
    assert.equal(others.length, 0);
    return found ?? {};
  };
  beforeEach(() => database().clear());

  it('is in the event and its metadata', async () => {
    await capture(`, error_kind => 'transient', retry_after => now() + interval '10 minutes', max_retries => 4,
      priority => -2, metadata => '{"shop": 7}'`);
    const { metadata, ...columns } = await row();
    assert.deepEqual(columns, {
      status: 'PENDING',
      failure_kind: 'transient',
      max_retries: 4,
      priority: -2,
      failure_count: 1,
      wait: 600,
    });
    const { shop, decided } = metadata as { shop: number; decided: { retryAfter: string } };
    assert.ok(Math.abs(Date.parse(decided.retryAfter) - Date.now() - 600_000) < 60_000);
    const rest = { kind: 'transient', maxRetries: 4, priority: -2 };
    assert.deepEqual([shop, decided], [7, { ...rest, retryAfter: decided.retryAfter }]);
  });

  it('may be permanent, at once and when a redelivery fails', async () => {
    await capture(`, error_kind => 'permanent'`);
    assert.equal((await row()).status, 'FAILED_PERMANENTLY');
    await database().clear();
    await capture();
    await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
    await capture(`, error_kind => 'permanent'`);
    const { status, failure_kind, failure_count } = await row();
    assert.deepEqual([status, failure_kind, failure_count], ['FAILED_PERMANENTLY', 'permanent', 2]);
  });

  it('is that of the call that tells the content of its event first', async () => {
    await database().sql(
      `select dlq_capture(event_type => 'order.created', payload => null, event_id => 'order-1', priority => 9)`,
    );
    await capture(', priority => 5');
    assert.equal((await row()).priority, 5);
  });

  it('may have any value: an unusable one is kept, and the failure is captured', async () => {
    await capture(`, error_kind => 'fatal', retry_after => 'infinity', max_retries => -1, priority => 40000,
      source_attempts => -1, failed_at => '-infinity', occurred_at => 'infinity',
      metadata => '{"ignored": {"mine": 1}}'`);
    const { status, failure_kind, max_retries, priority, metadata } = await row();
    assert.deepEqual([status, failure_kind, max_retries, priority], ['PENDING', null, null, 0]);
    const ignored = { error_kind: 'fatal', retry_after: 'infinity', max_retries: -1, priority: 40_000 };
    const facts = { source_attempts: -1, failed_at: '-infinity', occurred_at: 'infinity' };
    assert.deepEqual(metadata, { ignored: { mine: 1, ...ignored, ...facts } });
  });

  it('is kept beside headers that are no object, and a time of failure ahead of the server', async () => {
    const headers = [['tenant', 'acme'], 'text', '{"tenant": "acme"}'];
    for (const [i, value] of headers.entries()) {
      await database().sql(
        `select dlq_capture('order.created', '{}', event_id => $1, headers => $2,
           failed_at => now() + interval '1 minute', priority => 3)`,
        [`order-${i}`, JSON.stringify(value)],
      );
    }
    const rows = await database().sql(
      `select headers, metadata, round(extract(epoch from (arrival ->> 'failed_at')::timestamptz - created_at))::int
         as ahead from dlq_events order by id`,
    );
    assert.deepEqual(
      rows,
      headers.map((value) => ({
        headers: {},
        metadata: {
          decided: { priority: 3 },
          ignored: { headers: JSON.stringify(value).replace('","', '", "') },
        },
        ahead: 60,
      })),
    );
  });

  it('is that of the first report of a failure', async () => {
    await capture(`, error_kind => 'transient', max_retries => 4`);
    await capture(`, error_kind => 'permanent', max_retries => 7`);
    const { status, max_retries, failure_count } = await row();
    assert.deepEqual([status, max_retries, failure_count], ['PENDING', 4, 1]);
  });

  it('may be a time that is over, or too far away', async () => {
    await capture(`, retry_after => '-infinity'`);
    assert.equal((await row()).wait, 0);
    await capture(`, error_reason => 'b', retry_after => '2001-01-01'`);
    assert.equal((await row()).wait, 0);
    await capture(`, error_reason => 'c', retry_after => now() + interval '2 years'`);
    assert.equal((await row()).wait, 0);
  });
});
