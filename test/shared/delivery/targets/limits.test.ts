import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { LeasedEvent } from '../../../../shared/delivery/leased-event.ts';
import { limitsOf, sendToTarget, type Target } from '../../../../shared/delivery/targets/target-kinds.ts';
import type { Fixture } from '../../../support/envelopes.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { useKafkaBridge } from '../../../support/kafka-bridge.ts';
import { aBridgeTarget } from '../../../support/kafka-rest-delivery.ts';
import { aLeasedEvent } from '../../../support/leased-event.ts';
import { usePubSubTarget } from '../../../support/pubsub-target.ts';
import { readAll } from '../../../support/read-capture.ts';
import { aRoute } from '../../../support/routes.ts';

const find = (target: Target, event: Partial<LeasedEvent>, bodyBytes = 2) =>
  limitsOf(target, { ...aLeasedEvent(event), bodyBytes });
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`h${i}`, 'x']));

describe('what Pub/Sub does not take', () => {
  const topic = usePubSubTarget();
  const target = (): Target => ({ kind: 'pubsub', topic: topic().topic });
  const trace = `java.lang.Error\n${'\tat a.B.c(B.java:1)\n'.repeat(90)}`;

  for (const [what, headers, bodyBytes, detail] of [
    [
      'a long value',
      { big: 'ü'.repeat(513) },
      2,
      'The attribute big has 1,026 bytes; Pub/Sub accepts up to 1,024 bytes.',
    ],
    [
      'a long name',
      { ['n'.repeat(257)]: 'x' },
      2,
      `The name of the attribute ${'n'.repeat(60)}... has 257 bytes; Pub/Sub accepts up to 256.`,
    ],
    ['many attributes', many(99), 2, 'It would have 101 attributes; Pub/Sub accepts up to 100.'],
    ['a large message', {}, 10 * 2 ** 20, 'It has 10,485,818 bytes; Pub/Sub accepts up to 10,485,760 bytes.'],
  ] as const) {
    it(`is known before it is sent: ${what}`, () => {
      assert.deepEqual(
        find(target(), { headers }, bodyBytes).map((limit) => [limit.effect, limit.detail]),
        [['not-sent', detail]],
      );
    });
  }

  it('is exactly what Pub/Sub rejects', async () => {
    const { policy } = aRoute({ target: target() });
    for (const [headers, body, isTaken] of [
      [{ big: 'x'.repeat(1024), ['n'.repeat(256)]: '', ...many(96) }, '{}', true],
      [
        {
          '__connect.errors.exception.stacktrace': trace,
          'kafka_dlt-exception-message': trace,
        },
        '{}',
        true,
      ],
      [{}, 'x'.repeat(10 * 2 ** 20 + 1), false],
      [many(99), '{}', false],
    ] as const) {
      const event = aLeasedEvent({ headers, body: Buffer.from(body) });
      const { kind, error } = await sendToTarget(event, { target: target(), policy });
      assert.deepEqual(
        [kind, find(target(), { headers }, body.length).length === 0],
        [isTaken ? 'delivered' : 'permanent', isTaken],
        error,
      );
    }
  });

  it('is named in the attempt, and nothing is sent', async () => {
    const before = topic().messages().length;
    const headers = { ...Object.fromEntries('abcd'.split('').map((name) => [name, 'x'.repeat(2000)])) };
    const outcome = await sendToTarget(aLeasedEvent({ headers }), aRoute({ target: target() }));

    assert.equal(outcome.kind, 'permanent');
    assert.match(outcome.error ?? '', /^Not sent\. The attribute a has 2,000 bytes; .* And 1 more\.$/);
    assert.equal(topic().messages().length, before);
  });
});

describe("what Strimzi's bridge does not take", () => {
  const bridge = useKafkaBridge('strimzi');
  const target = () => aBridgeTarget('strimzi', bridge().url);

  it('is a record without a value, and nothing is sent', async () => {
    const event = aLeasedEvent({ body: Buffer.alloc(0), payloadEncoding: 'none' });
    const { kind, error } = await sendToTarget(event, aRoute({ target: target() }));

    assert.deepEqual([kind, bridge().received.length], ['permanent', 0]);
    assert.match(error ?? '', /^Not sent\. The record has no value/);
  });

  it('is an empty header: the record is written without it, and the attempt says so', async () => {
    const event = aLeasedEvent({ headers: { empty: ['', ''], tenant: 'acme' } });
    const { kind, error } = await sendToTarget(event, aRoute({ target: target() }));

    assert.deepEqual(
      [kind, error],
      ['delivered', "The header empty is empty and is omitted: Strimzi's bridge rejects it."],
    );
    assert.deepEqual(
      bridge()
        .records[0]?.headers.map(([name]) => name)
        .filter((name) => !/^dlo-/.test(name)),
      ['tenant'],
    );
  });

  it("is taken by Confluent's proxy", () => {
    const confluent = aBridgeTarget('confluent-v3', 'http://bridge');
    assert.deepEqual(find(confluent, { headers: { empty: '' }, payloadEncoding: 'none' }, 0), []);
  });
});

describe('what an HTTP server may not take', () => {
  const server = useHttpTarget();
  const target = (): Target => ({ kind: 'http', url: server().url, headers: {}, allowHeaders: [] });
  const large = { headers: { a: 'x'.repeat(5000), b: 'x'.repeat(3000) } };

  it('is more than 8 KiB of headers, which do not include those about the failure', () => {
    assert.deepEqual(
      find(target(), large).map(({ effect, part }) => [effect, part]),
      [['may-fail', 'headers']],
    );
    assert.deepEqual(
      find(target(), { headers: { '__connect.errors.exception.stacktrace': 'x'.repeat(9000) } }),
      [],
    );
  });

  it('is named in the attempt if the server rejects the headers, and not for other failures', async () => {
    const errors = [];
    for (const status of [431, 503, 200]) {
      server().answer = (_, response) => response.writeHead(status).end();
      errors.push((await sendToTarget(aLeasedEvent(large), aRoute({ target: target() }))).error);
    }
    assert.deepEqual(errors, [
      'HTTP 431: no body (The request has headers of some 8,620 bytes; many servers accept up to 8,192 bytes.)',
      'HTTP 503: no body',
      undefined,
    ]);
  });

  it('is a header whose name HTTP cannot carry', () => {
    assert.deepEqual(
      find(target(), { headers: { größe: 'x' } }).map(({ detail }) => detail),
      ['The header größe is omitted: HTTP cannot carry its name.'],
    );
  });

  it('is a header with control characters or outer spaces, which is sent encoded', () => {
    assert.deepEqual(
      find(target(), { headers: { note: ' a\n', city: 'Zürich' } }).map(({ detail }) => detail),
      ['The header note is encoded: HTTP cannot carry its spaces or control characters.'],
    );
  });
});

describe('dead letters as real brokers wrote them', () => {
  const folder = path.resolve(import.meta.dirname, '../../../fixtures/envelopes');
  const recorded = readdirSync(folder).filter((file) => file.includes('-recorded-'));
  const targets: readonly Target[] = [
    { kind: 'pubsub', topic: 'projects/p/topics/t' },
    { kind: 'http', url: 'http://target/', headers: {}, allowHeaders: [] },
  ];

  it('fit into Pub/Sub and HTTP, whatever their stack traces', () => {
    const found = recorded.flatMap((file) => {
      const { http }: Fixture = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
      const captures = readAll(
        typeof http.body === 'string' ? http.body : (http.body as object),
        http.headers,
      );
      return captures.flatMap(({ body, headers, sourceKind, sourceKey }) =>
        targets.flatMap((target) => find(target, { headers, sourceKind, sourceKey }, body.length)),
      );
    });
    assert.ok(recorded.length > 30);
    // Bytes that are no text are sent as base64.
    assert.deepEqual(
      found.filter(({ effect }) => effect !== 'changed'),
      [],
    );
  });
});
