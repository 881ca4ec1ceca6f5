import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { fillFingerprints } from '../../../shared/fingerprint/fill-fingerprints.ts';
import { type Failure, fingerprint, fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { requireGroup } from '../../../shared/groups/error-groups.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { aCapture } from '../../support/captures.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the fingerprint of an event', () => {
  const database = useDatabase();
  const capture = (facts: Parameters<typeof aCapture>[0]) =>
    storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture(facts)]);
  const read = async () => {
    const [event] = await database().sql<{ fingerprint: string | null }>(
      'select fingerprint from dlq_events',
    );
    return event?.fingerprint;
  };
  const of = (facts: Partial<Failure>) =>
    fingerprint({
      errorClass: null,
      errorReason: null,
      errorStacktrace: null,
      eventType: 'order.created',
      consumer: null,
      ...facts,
    });
  /** One failed retry, with what the target answered. */
  const failRetry = async (answer: string) => {
    const leaseToken = randomUUID();
    const [event] = await claim(database(), { leaseToken });
    const settlement = aSettlement(event?.id ?? '', leaseToken, {
      status: 'PENDING',
      answer,
      fingerprint: fingerprintReason(answer),
      outcome: 'transient',
    });
    await settleEvents(database().db, { runId: '1', settlements: [settlement] });
  };
  beforeEach(() => database().clear());

  it('is set at capture', async () => {
    await capture({
      errorClass: 'TimeoutError',
      errorReason: 'after 3 s',
      errorStacktrace: 'TimeoutError: after 3 s',
    });

    assert.equal(await read(), of({ errorReason: 'TimeoutError: after 1 s' }));
  });

  it('is computed from the stored text, not from characters that PostgreSQL cannot store', async () => {
    await capture({ errorReason: 'bad \0 byte' });
    const stored = await read();
    await database().sql('update dlq_events set fingerprint = null');
    await fillFingerprints(database().db);

    assert.equal(await read(), stored);
  });

  it('without a reason is that of the event type and consumer', async () => {
    await capture({ sourceSubscription: 'projects/p/subscriptions/s' });

    assert.equal(await read(), of({ consumer: 'projects/p/subscriptions/s' }));
  });

  it('changes with the reason that a later capture reports', async () => {
    await capture({});
    await capture({ errorClass: 'TimeoutError', errorReason: 'after 3 s' });

    assert.equal(await read(), of({ errorClass: 'TimeoutError', errorReason: 'after 3 s' }));
  });

  it('is kept while later captures report nothing new', async () => {
    await capture({ errorReason: 'timeout' });
    await capture({});

    assert.equal(await read(), of({ errorReason: 'timeout' }));
  });

  it('changes with the reason of a later failure', async () => {
    await capture({ errorReason: 'timeout' });
    await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
    await capture({ errorReason: 'another one' });

    assert.equal(await read(), of({ errorReason: 'another one' }));
  });

  it('is computed from all facts if one capture reports the class and another one the reason', async () => {
    await capture({ errorClass: 'TimeoutError' });
    await capture({ errorReason: 'after 3 s' });
    assert.equal(await read(), null);
    await fillFingerprints(database().db);

    assert.equal(await read(), of({ errorClass: 'TimeoutError', errorReason: 'after 3 s' }));
  });

  it('is that of the first answer of the target if its consumer said nothing', async () => {
    await capture({});
    await failRetry('HTTP 422: no order 7');
    await database().sql('update dlq_events set retry_after = now()');
    await failRetry('HTTP 503: down');

    assert.equal(await read(), fingerprintReason('HTTP 422: no order 9'));
  });

  it('is computed again after plain SQL changed the reason', async () => {
    await anEvent(database(), { fingerprint: 'v1:old' });
    await database().sql(`update dlq_events set error_reason = 'still down'`);
    assert.equal(await read(), null);
    await fillFingerprints(database().db);

    assert.equal(await read(), fingerprintReason('still down'));
  });

  it('is computed in batches for events that plain SQL inserted', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason)
       select 'a', '{}', 'order ' || n || ' is bad' from generate_series(1, 1200) n`,
    );

    await refreshUnlessReplica(database().db);
    assert.equal(await fillFingerprints(database().db), 700, 'a page waits for one batch');
    const rows = await database().sql('select distinct fingerprint from dlq_events');
    assert.deepEqual(rows, [{ fingerprint: fingerprintReason('order 1 is bad') }]);
  });

  it('of a failure that an application reports in SQL is computed before groups are shown', async () => {
    const report = (reason: string) =>
      database().sql(
        `select dlq_capture(event_type => 'order.created', payload => '{}', event_id => 'sql-1', error_reason => $1)`,
        [reason],
      );
    await report('timeout');
    await refreshUnlessReplica(database().db);
    assert.equal(await read(), fingerprintReason('timeout'));

    await database().sql(
      `update dlq_events set status = 'SUCCEEDED', delivery_count = 1, processed_at = now()`,
    );
    await report('timeout');
    assert.equal(await read(), fingerprintReason('timeout'), 'the same reason is in its group at once');

    await database().sql(
      `update dlq_events set status = 'SUCCEEDED', delivery_count = 2, processed_at = now()`,
    );
    await report('connection reset');
    await refreshUnlessReplica(database().db);
    const group = await requireGroup(database().db, fingerprintReason('connection reset'));
    assert.deepEqual([await read(), group.failures], [fingerprintReason('connection reset'), 1]);
  });
});
