import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { isCredential } from '../../../shared/message/credential-headers.ts';
import { useDatabase } from '../../support/database.ts';
import { tries } from '../../support/sample.ts';

/** A text that occurs nowhere else, so that it can be looked for, and no name of a credential. */
const token = fc.stringMatching(/^[a-z]{12}$/).filter((text) => !isCredential(text));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    token,
    fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }).map(Number),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(token, tie('value'), { maxKeys: 3 }),
  ),
})).value as fc.Arbitrary<unknown>;

const members = [
  ...['eventType', 'eventId', 'payload', 'payloadBase64', 'contentType', 'headers', 'source', 'metadata'],
  ...['occurredAt', 'traceparent', 'tenant', 'eventID', 'retries'],
];
const parts = [
  'message',
  'class',
  'name',
  'type',
  'stack',
  'stacktrace',
  'code',
  'kind',
  'topic',
  'group',
  'offset',
];

const anyReport = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...members), fc.oneof(token, anyValue), { maxKeys: 8 }),
    fc.oneof(token, fc.dictionary(fc.constantFrom(...parts), fc.oneof(token, anyValue), { maxKeys: 5 })),
    fc.option(fc.dictionary(fc.constantFrom(...parts), fc.oneof(token, anyValue), { maxKeys: 5 })),
  )
  .map(([report, error, source]) => ({ ...report, error, ...(source && { source }) }));

describe('a report, with any members of any type,', () => {
  const database = useDatabase();

  it('is stored with every value that it has', async () => {
    const property = fc.asyncProperty(
      fc.array(anyReport, { minLength: 5, maxLength: 5 }),
      async (reports) => {
        await database().clear('dlq_events');
        for (const report of reports) {
          const body = Buffer.from(JSON.stringify(report));
          const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers: {}, body });
          await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
        }
        const rows = await database().sql<{ text: string }>(
          `select concat(dlq_events::text, encode(body, 'escape'), encode(body, 'base64'),
             encode(convert_to(payload #>> '{}', 'UTF8'), 'base64')) as text from dlq_events`,
        );
        const stored = rows.map(({ text }) => text).join('\n');
        for (const text of JSON.stringify(reports).match(/[a-z]{12}/g) ?? []) {
          assert.ok(stored.includes(text), `${text} of ${JSON.stringify(reports)}`);
        }
      },
    );
    // A payload in base64 whose bytes are a text.
    const asText = { payloadBase64: 'aggaacaaasaa', error: 'bbbbbbbbbbbb' };
    await fc.assert(property, { numRuns: tries(200), examples: [[[asText]]] });
  });
});

describe('the time at which a consumer failed', () => {
  const database = useDatabase();

  it('is stored with the first report of an event, and with the one that tells its content', async () => {
    const told: unknown[] = [];
    for (const payload of [undefined, { orderId: 1 }]) {
      const failedAt = `2026-03-0${told.length + 1}T10:00:00.000Z`;
      const body = Buffer.from(JSON.stringify({ error: 'e', eventId: 'order-1', failedAt, payload }));
      const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers: {}, body });
      await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
      const [row] = await database().sql<{ at: string }>(
        `select arrival ->> 'failed_at' as at from dlq_events`,
      );
      told.push(new Date(row?.at ?? 0).toISOString());
    }
    assert.deepEqual(told, ['2026-03-01T10:00:00.000Z', '2026-03-02T10:00:00.000Z']);
  });
});

describe('a text that is too long for an index', () => {
  const database = useDatabase();
  /** Of characters that PostgreSQL cannot compress. */
  const long = (start: number) =>
    Array.from({ length: 4000 }, (_, i) => String.fromCharCode(start + ((i * 7919) % 20_000))).join('');
  const [type, group] = [long(0x4e00), long(0x4e01)];

  it('is stored in part, and whole beside the event', async () => {
    const requests = [
      { path: '/', body: { error: 'e', payload: 1, eventType: type, source: { consumerGroup: group } } },
      { path: `/${encodeURIComponent(type)}`, body: { a: 1 } },
    ];
    for (const { path, body } of [...requests, ...requests]) {
      const request = { path, query: new URLSearchParams(), headers: {} };
      const captures = readCaptures({ ...request, body: Buffer.from(JSON.stringify(body)) });
      await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    }
    const rows = await database().sql<{ type: string; consumer: string | null; metadata: unknown }>(
      'select event_type as type, consumer_group as consumer, metadata from dlq_events order by id',
    );
    assert.deepEqual(
      rows.map((row) => [row.type.slice(0, 201), row.consumer?.slice(0, 201), row.metadata]),
      [
        [
          `${type.slice(0, 200)}~`,
          `${group.slice(0, 200)}~`,
          { ignored: { event_type: type, consumer_group: group } },
        ],
        [`${type.slice(0, 200)}~`, undefined, { ignored: { event_type: type } }],
      ],
    );
  });
});
