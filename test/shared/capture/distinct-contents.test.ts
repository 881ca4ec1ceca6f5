import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { tries } from '../../support/sample.ts';

/** A small pool of ids, types, topics and contents, so that most captures meet another one of their id. */
const anyCapture = fc
  .record({
    id: fc.constantFrom('1', '2', '3'),
    consumer: fc.constantFrom(null, 'billing', 'shipping'),
    eventType: fc.constantFrom('unknown', 'order.created', 'order.cancelled'),
    sourceTopic: fc.constantFrom(null, 'orders', 'payments'),
    origin: fc.constantFrom(null, 'report' as const, 'bridge' as const),
    body: fc.constantFrom('', '{"n":1}', '{ "n": 1 }', '{"n":2}', 'text', '[1.5]'),
    deliveryId: fc.constantFrom('a', 'b', 'c', null),
  })
  .map(({ id, consumer, body, eventType, ...facts }) =>
    aCapture({
      ...facts,
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
          const rows = await database().sql<{ id: string; eventId: string; payload: unknown }>(
            `select id, event_id as "eventId", payload from dlq_events`,
          );
          const contents = (of: readonly { eventId: string | null; payload: unknown }[]) =>
            new Set(
              of.flatMap(({ eventId, payload }) =>
                payload === null ? [] : [`${eventId}: ${JSON.stringify(payload)}`],
              ),
            );
          const sent = captures.map(({ eventId, body }) => ({
            eventId,
            payload: toPayload(body.toString()),
          }));

          assert.deepEqual([...contents(rows)].sort(), [...contents(sent)].sort());
          const byId = new Map(rows.map((row) => [row.id, row]));
          for (const [i, { id }] of answers.flat().entries()) {
            const payload = sent[i]?.payload;
            if (payload !== null) assert.deepEqual(byId.get(id)?.payload, payload);
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

function toPayload(text: string): unknown {
  if (text === '') return null;
  return text === 'text' ? text : JSON.parse(text);
}
