import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { deliverBatch } from '../../support/deliver-batch.ts';
import { anEvent } from '../../support/factories.ts';
import { type Answer, useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('the policy of a route', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deliver = async (policy: NonNullable<Parameters<typeof aRouteTo>[1]>['policy'], answer: Answer) => {
    await anEvent(database());
    target().answer = answer;
    const lease = { token: randomUUID(), endsAt: Date.now() + 60_000 };
    const events = await claim(database(), { leaseToken: lease.token });
    const routes = [aRouteTo(target().url, { policy })];
    await deliverBatch({ db: database().db, routes, retry: retryConfig() }, { lease, events });
  };

  it('overrules the outcome of a delivery', async () => {
    await deliver({ outcomes: { 404: 'permanent' } }, (_, response) => response.writeHead(404).end());

    assert.deepEqual(await database().sql('select status, failure_kind from dlq_events'), [
      { status: 'FAILED_PERMANENTLY', failure_kind: 'permanent' },
    ]);
  });

  it('with onAmbiguous hold fails ambiguous outcomes permanently, with failure_kind ambiguous', async () => {
    await deliver({ onAmbiguous: 'hold' }, (_, response) => response.writeHead(504).end());

    assert.deepEqual(await database().sql('select status, failure_kind from dlq_events'), [
      { status: 'FAILED_PERMANENTLY', failure_kind: 'ambiguous' },
    ]);
  });

  it('makes a target wait for Retry-After, and not the event, which goes as soon as the target takes it', async () => {
    await deliver({ backoff: { kind: 'fixed', delaySeconds: 1 } }, (_, response) =>
      response.writeHead(503, { 'retry-after': '3600' }).end(),
    );

    assert.deepEqual(
      await database().sql(
        `select retry_after <= now() as is_due, paused_until > now() + interval '59 minutes' as is_paused
         from dlq_events, dlq_breakers`,
      ),
      [{ is_due: true, is_paused: true }],
    );
  });
});
