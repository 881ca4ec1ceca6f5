import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Inbound } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';

const json = { 'content-type': 'application/json' };

describe('a batch', () => {
  it('keeps each element byte for byte', () => {
    const elements = ['{ "id": 9007199254740993, "a": 1, "a": 2.0 }', '"\\u0000 \\ud800 ]"', '1.0'];
    const captures = readCaptures(request(`[ ${elements.join(' ,\n')} ]`));
    assert.deepEqual(
      captures.map(({ body }) => body.toString()),
      elements,
    );
  });

  it('has separate events for elements that differ past 2^53 or in repeated names', () => {
    const captures = readCaptures(
      request('[9007199254740992, 9007199254740993, {"a": 1}, {"a": 1, "a": 1}]'),
    );
    assert.equal(new Set(captures.map(({ eventKey }) => eventKey)).size, 4);
  });

  it('has the same event key for an element with or without whitespace, in an array or on a line', () => {
    const bodies = ['[{"a":"x y","b":1}]', '[\n { "a": "x y",\t"b": 1 }\n]', '{"a":"x y","b":1}\n{"c":1}'];
    const keys = bodies.map((body) => readCaptures(request(body))[0]?.eventKey);
    assert.equal(new Set(keys).size, 1);
  });

  it('can be nested 100,000 levels deep', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const captures = readCaptures(request(`[${deep},{"a":${deep}},1]`));
    assert.equal(captures[0]?.body.toString(), deep);
    assert.equal(captures.length, 3);
  });

  it('of more than 10,000 elements is one event', () => {
    const body = JSON.stringify(new Array(10_001).fill(1));
    assert.deepEqual(
      readCaptures(request(body)).map((capture) => capture.body.toString()),
      [body],
    );
  });

  it('does not apply the id headers of the request to several events', () => {
    const headers = { ...json, 'event-id': 'evt-1', 'dlo-event-id': '7' };
    const keys = (body: string) =>
      readCaptures(request(body, headers)).map(({ eventKey, redeliveredId }) => [eventKey, redeliveredId]);
    assert.deepEqual(keys('[1]'), [['id:evt-1', '7']]);
    assert.equal(new Set(keys('[1, 2]').flat()).size, 3);
  });

  it('can consist of messages of a known transport, such as reports', () => {
    const report = { eventType: 'order', eventId: 'evt-1', payload: 1 };
    const [first, second] = readCaptures(request(JSON.stringify([report, { ...report, eventId: 'evt-2' }])));
    assert.deepEqual([first?.eventKey, second?.eventKey], ['id:evt-1', 'id:evt-2']);
  });
});

function request(body: string, headers: Inbound['headers'] = json): Inbound {
  return { path: '/', query: new URLSearchParams(), headers, body: Buffer.from(body) };
}
