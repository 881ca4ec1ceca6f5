import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Json, loadObject, readObject } from '../../support/fixture-objects.ts';

/** A fixture, the path of each value without which it is another format, and what another message has. */
type Example = {
  readonly fixture: string;
  readonly format: string;
  readonly required: readonly string[];
  readonly other: Json;
};

const examples: readonly Example[] = [
  {
    fixture: '316-sidekiq-dead-job',
    format: 'sidekiq',
    required: ['jid', 'class', 'args', 'error_class'],
    other: { jid: 'another' },
  },
  {
    fixture: '317-bullmq-failed-job',
    format: 'bullmq',
    required: ['id', 'name', 'data', 'opts', 'failedReason', 'stacktrace', 'attemptsMade', 'timestamp'],
    other: { timestamp: 1772358900001 },
  },
  {
    fixture: '325-debezium-server-http-change-event',
    format: 'debezium',
    required: ['op', 'source', 'source.connector', 'source.name', 'source.table'],
    other: { 'source.lsn': 24023129 },
  },
  {
    fixture: '326-stripe-webhook',
    format: 'stripe',
    required: ['id', 'object', 'type', 'livemode'],
    other: { id: 'evt_another' },
  },
];

describe('a failed message', () => {
  for (const { fixture, format, required, other } of examples) {
    it(`${fixture} is read as ${format}, and without any of ${required.join(', ')} is kept as it is`, () => {
      assert.equal(readObject(loadObject(fixture)).format, format);
      for (const name of required) {
        const json = change(loadObject(fixture), { [name]: undefined });
        const { body, errorReason, ...capture } = readObject(json);
        assert.deepEqual([name, capture.format, errorReason], [name, null, null]);
        assert.equal(body.toString(), JSON.stringify(json));
      }
    });

    it(`${fixture} is the message, whole, and another message is another event`, () => {
      const json = loadObject(fixture);
      const { body, eventKey } = readObject(json);
      assert.equal(body.toString(), JSON.stringify(json));
      assert.notEqual(readObject(change(json, other)).eventKey, eventKey);
    });
  }

  it('of Sidekiq 8 has its time in milliseconds, and the class of an ActiveJob', () => {
    const job = change(loadObject('316-sidekiq-dead-job'), {
      created_at: 1772358900123,
      wrapped: 'ChargeCardJob',
    });
    const { occurredAt, eventType } = readObject(job);
    assert.deepEqual([occurredAt?.toISOString(), eventType], ['2026-03-01T09:55:00.123Z', 'ChargeCardJob']);
  });

  it('in a report is the message, and the report names the failure, the type and the id', () => {
    for (const fixture of ['316-sidekiq-dead-job', '326-stripe-webhook']) {
      const payload = loadObject(fixture);
      const report = { eventType: 'told', eventId: 'told-1', error: { message: 'no stock' }, payload };
      const { body, eventType, eventId, errorReason } = readObject(report);
      assert.deepEqual([eventType, eventId, errorReason], ['told', 'told-1', 'no stock']);
      assert.equal(body.toString(), JSON.stringify(payload));
    }
  });

  it('in a Pub/Sub push is read as well', () => {
    const data = Buffer.from(JSON.stringify(loadObject('316-sidekiq-dead-job'))).toString('base64');
    const push = { message: { data, messageId: '1' }, subscription: 'projects/p/subscriptions/s' };
    const { transport, format, eventId, errorReason } = readObject(push);
    const job = readObject(loadObject('316-sidekiq-dead-job'));
    assert.deepEqual([transport, format, eventId], ['pubsub', 'sidekiq', job.eventId]);
    assert.equal(errorReason, job.errorReason);
  });
});

describe('a message of whose failure nothing else says anything', () => {
  const message = '{"amount":42.50,"error":{"message":"declined","class":"Card"}}';
  const data = Buffer.from(message).toString('base64');
  for (const [way, body] of Object.entries({
    'a request': message,
    'a push': { message: { messageId: '1', data }, subscription: 's' },
    'a record': { topic: 'payments', partition: 0, offset: 1, key: null, value: message },
  })) {
    it(`has the reason that its member "error" is, brought by ${way}`, () => {
      const { body: kept, errorReason, errorClass } = readObject(body);
      assert.deepEqual([kept.toString(), errorReason, errorClass], [message, 'declined', 'Card']);
    });
  }
});

/** A copy with values at these paths; undefined removes them. */
function change(json: Json, values: Json): Json {
  const copy = structuredClone(json);
  for (const [at, value] of Object.entries(values)) {
    const names = at.split('.');
    const last = names.pop() ?? '';
    const parent = names.reduce<Json>((object, name) => object[name] as Json, copy);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return copy;
}
