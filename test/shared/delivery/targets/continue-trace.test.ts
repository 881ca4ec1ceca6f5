import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toRecord } from '../../../../shared/delivery/targets/kafka-rest-target.ts';
import { continueTrace } from '../../../../shared/delivery/targets/message-headers.ts';
import { anHttpDelivery, valuesOf } from '../../../support/http-delivery.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aLeasedEvent } from '../../../support/leased-event.ts';
import { aPubSubDelivery } from '../../../support/pubsub-delivery.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { send } from '../../../support/send.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const original = `00-${traceId}-00f067aa0ba902b7-00`;
const continued = new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`);

describe('the trace of an event', () => {
  const target = useHttpTarget();
  const topic = usePubSubTarget();

  it('continues with a new span for each delivery by HTTP', async () => {
    const event = { traceId, headers: { Traceparent: original } };
    for (let i = 0; i < 2; i++) await send(anHttpDelivery(target().url, { event }));
    const sent = target()
      .received.slice(-2)
      .map(({ rawHeaders }) => valuesOf(rawHeaders, 'traceparent'));

    assert.deepEqual(
      sent.map(({ length }) => length),
      [1, 1],
    );
    for (const [traceparent] of sent) assert.match(traceparent ?? '', continued);
    assert.notDeepEqual(sent[0], sent[1]);
  });

  it('continues under the attribute name of Pub/Sub clients', async () => {
    const event = { traceId, headers: { googclient_traceparent: original } };
    await send(aPubSubDelivery(topic().topic, { event }));
    const { attributes } = topic().messages().at(-1) ?? {};

    assert.match(attributes?.googclient_traceparent ?? '', continued);
    assert.equal(attributes?.traceparent, undefined);
  });

  it('continues in a Kafka record', () => {
    const event = aLeasedEvent({ traceId, headers: { traceparent: original } });
    const { headers } = toRecord({ ...event, bodyBytes: 0 }, 1);
    const sent = headers.filter(([name]) => name === 'traceparent').map(([, value]) => value.toString());

    assert.equal(sent.length, 1);
    assert.match(sent[0] ?? '', continued);
  });

  it('continues if the transport carried it instead of the message', () => {
    const { traceparent } = continueTrace({ traceId, headers: {} });

    assert.match(traceparent ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  });

  it('is unchanged in the attribute of a CloudEvent', async () => {
    const event = { traceId, headers: { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-traceparent': original } };
    await send(anHttpDelivery(target().url, { event }));
    const { rawHeaders } = target().received.at(-1) ?? { rawHeaders: [] };

    assert.deepEqual(valuesOf(rawHeaders, 'ce-traceparent'), [original]);
    assert.equal(valuesOf(rawHeaders, 'traceparent').length, 1);
  });

  for (const [what, id] of Object.entries({
    'a missing trace id': null,
    'an invalid trace id': 'abc-1',
    'a trace id of zeros': '0'.repeat(32),
  })) {
    it(`is not created for ${what}`, () => {
      assert.deepEqual(continueTrace({ traceId: id, headers: {} }), {});
    });
  }
});
