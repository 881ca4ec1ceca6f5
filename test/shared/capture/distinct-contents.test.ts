import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { parseJson } from '../../../shared/json/parse-json.ts';
import { restoreBody, type StoredMessage } from '../../../shared/message/printed-message.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { tries } from '../../support/sample.ts';

/** Large enough that PostgreSQL does not store its bytes beside its payload. */
const printed = JSON.stringify({ n: 1, note: 'x'.repeat(200) });
const contents = [
  ...['', '{"n":1}', '{ "n": 1 }', '{"n":2}', 'text', '[1.5]', '"//4="', '//4='],
  ...[printed, printed.replaceAll(/[:,]/g, '$& '), printed.replace('"n":1,', '').replace('}', ',"n":1}')],
];

/** A small pool of ids, types, topics and contents, so that most captures meet another one of their id. */
const anyCapture = fc
  .record({
    id: fc.constantFrom('1', '2', '3'),
    consumer: fc.constantFrom(null, 'billing', 'shipping'),
    eventType: fc.constantFrom('unknown', 'order.created', 'order.cancelled'),
    sourceTopic: fc.constantFrom(null, 'orders', 'payments'),
    origin: fc.constantFrom(null, 'report' as const, 'bridge' as const),
    body: fc.constantFrom(...contents),
    deliveryId: fc.constantFrom('a', 'b', 'c', null),
  })
  .map(({ id, consumer, body, eventType, deliveryId, ...facts }) =>
    aCapture({
      ...facts,
      deliveryId: deliveryId && `${facts.origin} ${deliveryId}`,
      eventKey: `id:${id}`,
      eventId: id,
      consumerGroup: consumer,
      eventType,
      body: Buffer.from(body),
    }),
  );

describe('captures with few ids and many contents', () => {
  const database = useDatabase();
  let db: Database;
  before(async () => {
    // Senders that contradict one another deadlock now and then. A second each would be most of this test.
    const [name] = new URL(database().url).pathname.slice(1).split('?');
    await database().sql(`alter database "${name}" set deadlock_timeout = '20ms'`);
    db = openDatabase({ kind: 'url', url: database().url, poolMax: 8 }, 'test');
  });
  after(() => db.close());
  const deps = () => ({ db, repeatSeconds: 600 });
  const readMessages = async () => {
    const rows = await database().sql<StoredMessage & { id: string; eventId: string }>(
      `select id, event_id as "eventId", body, payload::text as "payloadText", printed_as as "printedAs",
        payload_encoding as "payloadEncoding" from dlq_events`,
    );
    return rows.map((row) => ({ ...row, body: restoreBody(row) }));
  };

  for (const senders of [1, 8]) {
    it(`lose no content of an id, from ${senders} senders at once`, async () => {
      const property = fc.asyncProperty(
        fc.array(fc.array(anyCapture, { minLength: 1, maxLength: 12 }), {
          minLength: senders,
          maxLength: senders,
        }),
        async (batches) => {
          await database().clear('dlq_events');
          const answers = await Promise.all(batches.map((captures) => storeCaptures(deps(), captures)));
          const captures = batches.flat();
          const stored = await readMessages();
          const byId = new Map(stored.map((each) => [each.id, each.body]));

          assert.deepEqual(listContents(stored), listContents(captures));
          for (const [i, { id }] of answers.flat().entries()) {
            const { body, origin } = captures[i] ?? aCapture();
            const print = origin === null ? String : printAnew;
            if (body.length > 0) assert.equal(print(byId.get(id)), print(body));
          }
        },
      );
      await fc.assert(property, { numRuns: tries(100) });
    });
  }

  it('are found again among more than a hundred of one id', async () => {
    await database().clear('dlq_events');
    const captures = Array.from({ length: 150 }, (_, n) => aCapture({ body: Buffer.from(`{"n": ${n}}`) }));
    const [first, again] = [await storeCaptures(deps(), captures), await storeCaptures(deps(), captures)];
    assert.deepEqual(
      again.map(({ id }) => id),
      first.map(({ id }) => id),
    );
  });
});

function listContents(of: readonly { readonly eventId: string | null; readonly body: Buffer }[]) {
  const contents = of.filter(({ body }) => body.length > 0);
  return [...new Set(contents.map(({ eventId, body }) => `${eventId}: ${printAnew(body)}`))].sort();
}

/** As a report and a message are compared: a text is a JSON string. */
function printAnew(body: Buffer | undefined): string {
  const json = parseJson(String(body));
  return JSON.stringify(json === undefined ? String(body) : json, ['n', 'note']);
}
