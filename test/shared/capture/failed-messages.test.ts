import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import type { Capture } from '../../../shared/capture/message.ts';
import { type Json, loadObject, readObject } from '../../support/fixture-objects.ts';

/** A fixture, the path of each value without which it is another format, and what changes when its message fails again. */
type Example = {
  readonly fixture: string;
  readonly format: string;
  readonly required: readonly string[];
  readonly again: Json;
  readonly other: Json;
};

const examples: readonly Example[] = [
  {
    fixture: '314-nats-jetstream-max-deliver',
    format: 'nats-advisory',
    required: ['type', 'stream', 'consumer', 'stream_seq'],
    again: { id: 'another', timestamp: '2026-03-02T00:00:00Z', deliveries: 6 },
    other: { stream_seq: 120 },
  },
  {
    fixture: '316-sidekiq-dead-job',
    format: 'sidekiq',
    required: ['jid', 'class', 'args', 'error_class'],
    again: {
      error_class: 'Timeout',
      error_message: 'late',
      retry_count: 2,
      retried_at: 1.5,
      enqueued_at: 1.4,
    },
    other: { jid: 'another' },
  },
  {
    fixture: '317-bullmq-failed-job',
    format: 'bullmq',
    required: ['id', 'name', 'data', 'opts', 'failedReason', 'stacktrace', 'attemptsMade', 'timestamp'],
    again: { failedReason: 'late', attemptsMade: 4, finishedOn: 1772358999999, stacktrace: ['Error: late'] },
    other: { timestamp: 1772358900001 },
  },
  {
    fixture: '318-celery-result-failure',
    format: 'celery-result',
    required: ['task_id', 'status', 'result', 'result.exc_type', 'traceback'],
    again: {
      date_done: '2026-03-02T00:00:00Z',
      retries: 3,
      traceback: 'again',
      'result.exc_type': 'Timeout',
    },
    other: { task_id: 'another' },
  },
  {
    fixture: '321-river-discarded-job-row',
    format: 'river',
    required: ['id', 'kind', 'queue', 'args', 'errors', 'max_attempts', 'created_at'],
    again: { attempt: 3, errors: [{ at: '2026-03-02T00:00:00Z', attempt: 3, error: 'late', trace: '' }] },
    other: { created_at: '2026-02-01T00:00:00Z' },
  },
  {
    fixture: '323-pg-boss-failed-job-row',
    format: 'pg-boss',
    required: ['id', 'name', 'data', 'state', 'output', 'retry_limit', 'retry_count'],
    again: { completed_on: '2026-03-02T00:00:00Z', retry_count: 3, 'output.message': 'late' },
    other: { id: 'another' },
  },
  {
    fixture: '325-debezium-server-http-change-event',
    format: 'debezium',
    required: ['op', 'source', 'source.connector', 'source.name', 'source.table'],
    again: {},
    other: { 'source.lsn': 24023129 },
  },
  {
    fixture: '326-stripe-webhook',
    format: 'stripe',
    required: ['id', 'object', 'type', 'livemode'],
    again: {},
    other: { id: 'evt_another' },
  },
];

describe('a failed message', () => {
  for (const { fixture, format, required, again, other } of examples) {
    it(`${fixture} is read as ${format}, and without any of ${required.join(', ')} is kept as it is`, () => {
      assert.equal(readObject(loadObject(fixture)).format, format);
      for (const name of required) {
        const json = change(loadObject(fixture), { [name]: undefined });
        const { body, errorReason, ...capture } = readObject(json);
        assert.deepEqual([name, capture.format, errorReason], [name, null, null]);
        assert.equal(body.toString(), JSON.stringify(json));
      }
    });

    it(`${fixture} that fails again is the same event, and another message is another`, () => {
      const [first, repeated] = [readObject(loadObject(fixture)), readObject(loadObject(fixture))];
      assert.equal(repeated.deliveryId, first.deliveryId);
      const failed = readObject(change(loadObject(fixture), again));
      assert.deepEqual(identify(failed), identify(first));
      if (Object.keys(again).length > 0) assert.notEqual(failed.deliveryId, first.deliveryId);
      assert.notEqual(readObject(change(loadObject(fixture), other)).eventKey, first.eventKey);
    });
  }

  it('of pg-boss and its copy in the dead-letter queue are one event', () => {
    const [job, copy] = ['323-pg-boss-failed-job-row', '324-pg-boss-dead-letter-job'].map((name) =>
      identify(readObject(loadObject(name))),
    );
    assert.deepEqual(copy, job);
  });

  it('keeps all digits of the message and of what is beside it', () => {
    const text = JSON.stringify({ ...loadObject('321-river-discarded-job-row'), args: 0, priority: 1 })
      .replace('"args":0', '"args":{"n":9007199254740993, "total":1.50}')
      .replace('"priority":1', '"priority":9007199254740993');
    const { body, metadata } = readObject(text);
    assert.equal(body.toString(), '{"n":9007199254740993, "total":1.50}');
    assert.equal((metadata?.envelope as Json | undefined)?.priority, '9007199254740993');
  });

  it('of Sidekiq with a stack trace that decompresses to too much keeps it compressed', () => {
    const bomb = deflateSync(JSON.stringify(['x'.repeat(2 ** 21)])).toString('base64');
    const { errorStacktrace, metadata } = readObject(
      change(loadObject('316-sidekiq-dead-job'), { error_backtrace: bomb }),
    );
    assert.equal(errorStacktrace, null);
    assert.equal((metadata?.envelope as Json | undefined)?.error_backtrace, bomb);
  });

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

  it('in a Pub/Sub push is read as well, and keeps where it came from', () => {
    const data = Buffer.from(JSON.stringify(loadObject('316-sidekiq-dead-job'))).toString('base64');
    const push = { message: { data, messageId: '1' }, subscription: 'projects/p/subscriptions/s' };
    const { transport, format, eventKey, sourceSubscription, metadata } = readObject(push);
    const job = readObject(loadObject('316-sidekiq-dead-job'));
    assert.deepEqual([transport, format, eventKey], ['pubsub', 'sidekiq', job.eventKey]);
    assert.deepEqual(
      [sourceSubscription, metadata?.transport],
      [null, { subscription: 'projects/p/subscriptions/s' }],
    );
  });
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

/** The facts that must be equal for two captures to be one event. */
function identify({ eventKey, eventType, sourceTopic, body }: Capture) {
  return { eventKey, eventType, sourceTopic, body: JSON.parse(body.toString()) };
}
