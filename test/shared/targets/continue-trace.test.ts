import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { continueTrace } from '../../../shared/targets/continue-trace.ts';
import { deliverByHttp } from '../../../shared/targets/http.ts';
import { toRecord } from '../../../shared/targets/kafka-records.ts';
import { deliverByPubSub } from '../../../shared/targets/pubsub.ts';
import { anHttpDelivery, valuesOf } from '../../support/http-delivery.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aLeasedEvent } from '../../support/leased-event.ts';
import { aPubSubDelivery } from '../../support/pubsub-delivery.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
const original = `00-${trace_id}-00f067aa0ba902b7-00`;
const continued = new RegExp(`^00-${trace_id}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`);

describe('the trace of an event', () => {
  const target = useHttpTarget();
  const topic = usePubSubTarget();

  it('goes on with a span of its own for each delivery by HTTP', async () => {
    const event = { trace_id, headers: { Traceparent: original } };
    for (let i = 0; i < 2; i++) await deliverByHttp(anHttpDelivery(target().url, { event }));
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

  it('goes on under the name that clients of Pub/Sub know', async () => {
    const event = { trace_id, headers: { googclient_traceparent: original } };
    await deliverByPubSub(aPubSubDelivery(topic().topic, { event }));
    const { attributes } = topic().messages().at(-1) ?? {};

    assert.match(attributes?.googclient_traceparent ?? '', continued);
    assert.equal(attributes?.traceparent, undefined);
  });

  it('goes on in a record of Kafka', () => {
    const { headers } = toRecord(
      aLeasedEvent({ trace_id, headers: { traceparent: original } }),
      Buffer.alloc(0),
      1,
    );
    const sent = headers.filter(([name]) => name === 'traceparent').map(([, value]) => value.toString());

    assert.equal(sent.length, 1);
    assert.match(sent[0] ?? '', continued);
  });

  it('goes on where its carrier had told it, and not the message', () => {
    const { traceparent } = continueTrace({ trace_id, headers: {} });

    assert.match(traceparent ?? '', new RegExp(`^00-${trace_id}-[0-9a-f]{16}-01$`));
  });

  it('is left as it was in the attribute of a CloudEvent', async () => {
    const event = { trace_id, headers: { specversion: '1.0', id: '1', traceparent: original } };
    await deliverByHttp(anHttpDelivery(target().url, { event }));
    const { rawHeaders } = target().received.at(-1) ?? { rawHeaders: [] };

    assert.deepEqual(valuesOf(rawHeaders, 'ce-traceparent'), [original]);
    assert.equal(valuesOf(rawHeaders, 'traceparent').length, 1);
  });

  for (const [what, id] of Object.entries({
    none: null,
    'one of another kind': 'abc-1',
    'one of zeros': '0'.repeat(32),
  })) {
    it(`is not made up where there is ${what}`, () => {
      assert.deepEqual(continueTrace({ trace_id: id, headers: {} }), {});
    });
  }
});
