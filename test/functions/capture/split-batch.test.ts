import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Inbound } from '../../../functions/capture/message.ts';
import { readCaptures } from '../../../functions/capture/read-captures.ts';

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

  it('takes no two elements for the same that differ in a digit no number holds', () => {
    const captures = readCaptures(
      request('[9007199254740992, 9007199254740993, {"a": 1}, {"a": 1, "a": 1}]'),
    );
    assert.equal(new Set(captures.map(({ eventKey }) => eventKey)).size, 4);
  });

  it('gives an element the same identity with space and without, in an array and on a line', () => {
    const bodies = ['[{"a":"x y","b":1}]', '[\n { "a": "x y",\t"b": 1 }\n]', '{"a":"x y","b":1}\n{"c":1}'];
    const keys = bodies.map((body) => readCaptures(request(body))[0]?.eventKey);
    assert.equal(new Set(keys).size, 1);
  });

  it('may be nested as deep as the sender likes', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const captures = readCaptures(request(`[${deep},{"a":${deep}},1]`));
    assert.equal(captures[0]?.body.toString(), deep);
    assert.equal(captures.length, 3);
  });

  it('is one event, as it is, where it would be more rows than a statement can take', () => {
    const body = JSON.stringify(new Array(10_001).fill(1));
    assert.deepEqual(
      readCaptures(request(body)).map((capture) => capture.body.toString()),
      [body],
    );
  });

  it('shares no header of the request among its events, which would make them one', () => {
    const headers = { ...json, 'event-id': 'evt-1', 'dlo-event-id': '7' };
    const keys = (body: string) =>
      readCaptures(request(body, headers)).map(({ eventKey, redeliveredId }) => [eventKey, redeliveredId]);
    assert.deepEqual(keys('[1]'), [['id:evt-1', '7']]);
    assert.equal(new Set(keys('[1, 2]').flat()).size, 3);
  });

  it('may hold what is recognised alone, such as reports', () => {
    const report = { eventType: 'order', eventId: 'evt-1', payload: 1 };
    const [first, second] = readCaptures(request(JSON.stringify([report, { ...report, eventId: 'evt-2' }])));
    assert.deepEqual([first?.eventKey, second?.eventKey], ['id:evt-1', 'id:evt-2']);
  });
});

function request(body: string, headers: Inbound['headers'] = json): Inbound {
  return { path: '/', query: new URLSearchParams(), headers, body: Buffer.from(body) };
}
