import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { sendToTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aLeasedEvent } from '../../support/leased-event.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRoute, aRouteTo, retryConfig } from '../../support/routes.ts';

describe('a message that an application stored in SQL', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const pubsub = usePubSubTarget();
  beforeEach(() => database().clear());
  const tick = (routes = [aRouteTo(target().url)]) =>
    runTick({ db: database().db, retry: retryConfig(), routes });
  const headers =
    '{"a": null, "b": [1, [2], null], "c": {"base64": 5}, "d": [], "key": [null], "traceparent": 7}';

  it('is sent with headers of any JSON as their text', async () => {
    const facts = { headers, source_key: 'k', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' };
    await anEvent(database(), facts);
    await anEvent(database(), { ...facts, event_type: 'invoice.created' });
    const { topic, messages } = pubsub();
    const toTopic = aRoute({ match: { eventType: 'invoice.*' }, target: { kind: 'pubsub', topic } });
    await tick([toTopic, aRouteTo(target().url)]);

    const { a, b, c } = target().received[0]?.headers ?? {};
    assert.deepEqual([a, b, c], ['null', '1, [2], null', '{"base64":5}']);
    assert.equal(messages().length, 1);
  });

  it('is sent as PostgreSQL prints it if it has another print than it says', async () => {
    await anEvent(database(), { payload: '{"n": 1.0}', body: null, printed_as: '5 zz' });
    await tick();

    assert.deepEqual(
      target().received.map(({ body }) => String(body)),
      ['{"n": 1.0}'],
    );
  });

  it('fails permanently if it cannot be composed, and throws nothing', async () => {
    const { kind, error } = await sendToTarget(
      aLeasedEvent({ headers: null as never }),
      aRouteTo(target().url),
    );
    assert.deepEqual(
      [kind, error?.slice(0, 42)],
      ['permanent', 'Not sent: the message cannot be composed. '],
    );
  });

  it('shows nothing about its target if the target cannot take it: the breaker stays as it is', async () => {
    const { topic } = pubsub();
    await anEvent(database(), { headers: { a: 'x'.repeat(2000) } });
    await database().sql(
      `insert into dlq_breakers (target, state, opened_at, cooldown_seconds, probe_after)
       values ($1, 'OPEN', now() - interval '1 hour', 60, now())`,
      [topic],
    );
    await tick([aRoute({ target: { kind: 'pubsub', topic } })]);

    const [event] = await database().sql('select status from dlq_events');
    const [breaker] = await database().sql('select state from dlq_breakers');
    assert.deepEqual([event?.status, breaker?.state], ['FAILED_PERMANENTLY', 'HALF_OPEN']);
  });
});
