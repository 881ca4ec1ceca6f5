import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import type { Settlement } from '../../../shared/delivery/settlement.ts';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

const captured = {
  error_reason: 'no answer',
  error_class: 'TimeoutError',
  error_stacktrace: 'TimeoutError: no answer',
  fingerprint: 'v1:captured',
};

describe('the answer of a target', () => {
  const database = useDatabase();
  const token = randomUUID();
  beforeEach(() => database().clear());

  const settle = async (more: Partial<Settlement>) => {
    await database().sql('update dlq_events set retry_after = now()');
    const [event] = await claim(database(), { leaseToken: token });
    const settlements = [aSettlement(event?.id ?? '', token, more)];
    await settleEvents(database().db, { runId: '7', settlements });
  };
  const fail = (answer: string, outcome: 'transient' | 'permanent' | 'ambiguous' = 'transient') =>
    settle({ status: 'PENDING', outcome, answer, fingerprint: fingerprintReason(answer) });
  const read = async () => {
    const columns = 'error_reason, error_class, error_stacktrace, fingerprint, answer';
    return (await database().sql(`select ${columns} from dlq_events`))[0];
  };

  for (const outcome of ['transient', 'permanent', 'ambiguous'] as const) {
    it(`of a ${outcome} failure leaves the reason that the consumer gave, and its error group`, async () => {
      await anEvent(database(), captured);
      await fail('HTTP 422: {}', outcome);
      assert.deepEqual(await read(), { ...captured, answer: 'HTTP 422: {}' });
    });
  }

  it('is the latest one', async () => {
    await anEvent(database(), captured);
    await fail('HTTP 503: down');
    await fail('HTTP 422: no total');
    assert.equal((await read())?.answer, 'HTTP 422: no total');
  });

  it('becomes the reason of an event without one, once', async () => {
    await anEvent(database(), { error_reason: 'not reported', fingerprint: 'v1:unknown' });
    await fail('HTTP 503: down');
    await fail('HTTP 422: no total');
    const event = await read();
    assert.deepEqual(
      [event?.error_reason, event?.fingerprint, event?.answer],
      ['HTTP 503: down', fingerprintReason('HTTP 503: down'), 'HTTP 422: no total'],
    );
  });

  const crowded = {
    status: 'PENDING',
    outcome: 'transient',
    fingerprint: 'v3:new',
    crowd: 'v3:crowd',
  } as const;

  it('that becomes the reason joins the group of many reasons in a flood', async () => {
    await anEvent(database(), { error_reason: 'not reported' });
    await settle({ ...crowded, answer: 'HTTP 422: no total' });
    assert.equal((await read())?.fingerprint, 'v3:crowd');
  });

  for (const [field, value] of Object.entries({ words: 'total', consumer: 'billing' }))
    it(`that becomes the reason joins the group that operators split off by its ${field}`, async () => {
      await database().sql(
        `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, split_field, split_value)
         values ('v3:part', now(), now(), $1, $2)`,
        [field, value],
      );
      await anEvent(database(), { error_reason: 'not reported', consumer_group: 'billing' });
      await settle({ ...crowded, answer: 'HTTP 422: no total' });
      assert.equal((await read())?.fingerprint, 'v3:part');
    });

  it('is gone once another one has accepted the event', async () => {
    await anEvent(database(), captured);
    await fail('HTTP 503: down');
    await settle({});
    assert.equal((await read())?.answer, null);
  });

  it('to a redirected replay changes nothing', async () => {
    await anEvent(database(), captured);
    await settle({ status: 'PENDING', outcome: 'permanent', answer: 'HTTP 422: no total', isFailed: false });
    assert.deepEqual(await read(), { ...captured, answer: null });
  });
});
