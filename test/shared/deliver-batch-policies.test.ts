import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { deliverBatch } from '../../shared/deliver-batch.ts';
import { settleBatch } from '../../shared/settle-batch.ts';
import { claim } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { type Answer, useHttpTarget } from '../support/http-target.ts';
import { aRouteTo, retryConfig } from '../support/routes.ts';

describe('a delivery goes by the policy of its route:', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().sql('truncate dlq_events, dlq_attempts'));
  const deliver = async (policy: NonNullable<Parameters<typeof aRouteTo>[1]>['policy'], answer: Answer) => {
    await anEvent(database());
    target().answer = answer;
    const lease = { token: randomUUID(), endsAt: Date.now() + 60_000 };
    const events = await claim(database(), { leaseToken: lease.token });
    const routes = [aRouteTo(target().url, { policy })];
    const batch = { db: database().db, routes, retry: retryConfig(), runId: '7', lease, sparesTargets: true };
    await settleBatch(batch, await deliverBatch(batch, events));
  };

  it('an outcome that it overrules counts as it says', async () => {
    await deliver({ outcomes: { 404: 'permanent' } }, (_, response) => response.writeHead(404).end());

    assert.deepEqual(await database().sql('select status, failure_kind from dlq_events'), [
      { status: 'FAILED_PERMANENTLY', failure_kind: 'permanent' },
    ]);
  });

  it('what is ambiguous is left to people where it says so, and known as such', async () => {
    await deliver({ onAmbiguous: 'hold' }, (_, response) => response.writeHead(504).end());

    assert.deepEqual(await database().sql('select status, failure_kind from dlq_events'), [
      { status: 'FAILED_PERMANENTLY', failure_kind: 'ambiguous' },
    ]);
  });

  it('a target that asks to be left alone is, for longer than the backoff', async () => {
    await deliver({ backoff: { kind: 'fixed', delaySeconds: 1 } }, (_, response) =>
      response.writeHead(503, { 'retry-after': '3600' }).end(),
    );

    assert.deepEqual(
      await database().sql("select retry_after > now() + interval '59 minutes' as is_later from dlq_events"),
      [{ is_later: true }],
    );
  });
});
