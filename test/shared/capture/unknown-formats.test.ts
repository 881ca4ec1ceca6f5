import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { readObject } from '../../support/fixture-objects.ts';

type UnknownMessage = {
  readonly name: string;
  /** The public repository that has it. */
  readonly source: string;
  readonly content_type: string;
  readonly body?: string;
  readonly body_base64?: string;
  /** Differences to one event with exactly this body and no facts. */
  readonly expect?: {
    readonly bodies: readonly string[];
    readonly transport?: string;
    readonly errorReason?: string;
    readonly ignored?: readonly string[];
  };
};

const file = path.resolve(import.meta.dirname, '../../fixtures/unknown-formats.json');
const messages: readonly UnknownMessage[] = JSON.parse(readFileSync(file, 'utf8'));

describe('a message of an unknown format', () => {
  for (const message of messages) {
    it(`is kept as it is: ${message.name}`, () => {
      const body = toBytes(message);
      const expected = message.expect ?? { bodies: [body.toString('latin1')] };
      const { bodies, transport = 'value', errorReason = null, ignored = [] } = expected;
      assert.deepEqual(
        readCaptures({
          path: '/',
          query: new URLSearchParams(),
          headers: { 'content-type': message.content_type },
          body,
        }).map((capture) => ({
          body: capture.body.toString('latin1'),
          transport: capture.transport,
          format: capture.format,
          eventType: capture.eventType,
          errorReason: capture.errorReason,
          ignored: capture.ignored,
        })),
        bodies.map((part) => ({
          body: part,
          transport,
          format: null,
          eventType: 'unknown',
          errorReason,
          ignored,
        })),
      );
    });
  }

  /** Ordinary messages with members of known formats. */
  const ordinary = {
    'a queued job of Sidekiq': { jid: '1', class: 'ChargeJob', args: [1], queue: 'default' },
    'a passenger class': { jid: 'j-1', class: 'economy', args: 'window', error_class: 'none' },
    'a job that reports why it failed': {
      name: 'invoice',
      data: { id: 1 },
      failedReason: 'no ink',
      opts: {},
    },
    'a concert named event': { id: 'evt_1', object: 'event', type: 'concert', venue: 'hall' },
    'a letter that came back': { id: '1', subject: 'bill', deadLetterReason: 'moved', data: {} },
    'an inspection with a result': {
      task_id: '1',
      status: 'FAILURE',
      result: { exc_type: 1 },
      traceback: null,
    },
    'an agenda with events': { workflowId: 'w', events: [{ eventType: 'TALK' }], status: 'FAILED' },
    'a change by an editor': { before: {}, after: {}, op: 'update', source: { name: 'crm', table: 'a' } },
    'a change of an unnamed connector': {
      before: {},
      after: {},
      op: 'u',
      source: { name: 'crm', table: 'a' },
    },
    'an advisory of another service': { type: 'max_deliver', stream: 'S', consumer: 'C', stream_seq: 1 },
    'a list of errors as text': { id: 1, kind: 'a', queue: 'q', args: {}, errors: ['bad'], max_attempts: 1 },
    'a finished job': {
      id: '1',
      name: 'a',
      data: {},
      output: {},
      state: 'completed',
      retryLimit: 1,
      retryCount: 0,
    },
    'a batch without a stream': { context: { condition: 'hot' }, KinesisBatchInfo: { batchSize: 1 } },
    'a mail box': { Messages: [{ MessageId: '1', Body: 'hello' }] },
    'a record of an unnamed tool': { topic: 'orders', partition: 1, offset: 2, key: 'k', payload: {} },
    'a record without a time': { Value: 'v', Offset: 1, Key: 'k', Partition: 0, Headers: {} },
    'a measurement': {
      Value: 5,
      Offset: 1,
      Key: 'k',
      Partition: 0,
      Headers: {},
      Timestamp: '2026-03-01T00:00:00Z',
    },
    'an event that is no CloudEvent': { event: { id: '1' }, deadletterProperties: { deadletterreason: 'x' } },
  };
  for (const [name, json] of Object.entries(ordinary)) {
    it(`is kept as it is, although it has members of a known one: ${name}`, () => {
      const capture = readObject(json);
      assert.deepEqual([capture.transport, capture.format], ['value', null]);
      assert.equal(capture.body.toString(), JSON.stringify(json));
      assert.deepEqual([capture.eventType, capture.errorReason, capture.metadata], ['unknown', null, null]);
    });
  }
});

function toBytes({ body, body_base64 }: UnknownMessage): Buffer {
  return body_base64 === undefined ? Buffer.from(body ?? '') : Buffer.from(body_base64, 'base64');
}
