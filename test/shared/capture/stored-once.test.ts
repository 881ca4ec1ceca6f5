import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { showEvents } from '../../../shared/events/list-events.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { useDatabase } from '../../support/database.ts';
import { tries } from '../../support/sample.ts';
import { readBodies } from '../../support/stored-bodies.ts';

const key = fc.oneof(
  fc.constantFrom('id', 'b', 'a', '1', '10', '__proto__', 'toJSON', 'constructor', ''),
  fc.string({ unit: anyCharacter }),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom('\u0000', '\u007f', '\u2028', '": ', ', ', '\\u0041', '\ud800', '"\\/\b\n\t'),
    fc.oneof(
      fc.integer(),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.constantFrom(-0, 1e21, 5e-7, 1e300),
    ),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
})).value;

/** Texts that programs print, and the same with other spellings. */
const printed = fc
  .tuple(json, fc.nat(7), fc.string({ minLength: 190, maxLength: 400 }))
  .map(([value, style, filler]) => {
    const whole = { filler, value, more: [value] };
    const text = JSON.stringify(whole);
    const spaced = JSON.stringify(whole, null, 1).replaceAll(/,\n */g, ', ').replaceAll(/\n */g, '');
    return (
      [
        text,
        text,
        spaced,
        JSON.stringify(whole, null, 2),
        `${text}\n`,
        text.replaceAll('1', '1.0'),
        text.replace('"more"', '"value"'),
        text.replaceAll('a', '\\u0061'),
      ][style] ?? text
    );
  });

describe('a message that is stored once', () => {
  const database = useDatabase();
  const store = async (messages: readonly (string | Buffer)[]) => {
    const captures = messages.flatMap((body) =>
      readCaptures({ path: '/', query: new URLSearchParams(), headers: {}, body: Buffer.from(body) }),
    );
    const limits = { db: database().db, repeatSeconds: 600 };
    return { captures, stored: await storeCaptures(limits, captures) };
  };

  it('has its bytes, whatever printed it', async () => {
    const property = fc.asyncProperty(
      fc.array(printed, { minLength: 100, maxLength: 100 }),
      async (messages) => {
        const { captures, stored } = await store(messages);
        const bodies = new Map<string, Buffer>();
        const ids = [...new Set(stored.map(({ id }) => id))].sort((a, b) => Number(a) - Number(b));
        for (const [i, body] of (await readBodies(database(), ids)).entries()) bodies.set(ids[i] ?? '', body);
        for (const [i, { body }] of captures.entries()) {
          // Two messages with equal values are one event, and that has the bytes of the first.
          if (stored[i]?.isNew) assert.equal(String(bodies.get(stored[i].id)), String(body));
        }
      },
    );
    await fc.assert(property, { numRuns: tries(30), endOnFailure: true });
  });

  const order = {
    orderId: 4711,
    note: 'x'.repeat(300),
    items: [
      { sku: 'A', price: 1.5 },
      { price: 2, sku: 'B' },
    ],
  };
  const inOrder = {
    ...order,
    items: [
      { sku: 'A', price: 1.5 },
      { sku: 'B', gift: true, price: 2 },
    ],
  };
  const text = JSON.stringify(inOrder);
  const spaced = text.replaceAll(/([,:])(?!:)/g, '$1 ');
  const manyKeys = Array.from({ length: 60 }, (_, i) => [`key${(i * 7) % 60}`, i]);
  for (const [name, message, isOnce] of [
    ['JSON without spaces', text, true],
    ['JSON with a space behind colons and commas', spaced, true],
    ['JSON with 60 keys', JSON.stringify(Object.fromEntries(manyKeys)), true],
    ['JSON without keys', JSON.stringify('x'.repeat(300)), true],
    ['text', 'line\n'.repeat(50), true],
    ['bytes', Buffer.alloc(300, 255), true],
    ['JSON whose objects disagree on the order of their keys', JSON.stringify(order), false],
    ['indented JSON', JSON.stringify(inOrder, null, 2), false],
    ['JSON with a number that JavaScript prints otherwise', text.replace('4711', '4711.10'), false],
    ['a short message', '{"orderId":1}', false],
  ] as const) {
    it(`${isOnce ? 'is' : 'is not'} ${name}`, async () => {
      await database().clear('dlq_events');
      const { stored } = await store([message]);
      const [row] = await database().sql('select body is null as once from dlq_events');
      assert.deepEqual(row, { once: isOnce });
      assert.deepEqual(await readBodies(database()), [Buffer.from(message)]);
      const id = stored[0]?.id ?? '';
      const { body, bytes } = await readEvent(database().db, id);
      assert.deepEqual([body, bytes], [Buffer.from(message), message.length]);
      const [shown] = await showEvents(database().db, { ids: [id], maxBytes: 10_000, maxTotal: 10_000 });
      const { bodyBase64, bodyBytes } = JSON.parse(shown?.json ?? '');
      assert.deepEqual(
        [Buffer.from(bodyBase64, 'base64'), bodyBytes],
        [Buffer.from(message), message.length],
      );
    });
  }

  it('has its bytes when the keys of another message end with a backslash', async () => {
    const filler = 'x'.repeat(200);
    for (const [i, end] of ['\\"', '\\n'].entries()) {
      const body = `{"filler":"${filler}","at${i}":1,"key${end}":1}`;
      const { stored } = await store([body]);
      JSON.parse(`{"at${i}":1,"key\\\\":1,"filler":"${filler}"}`);
      assert.equal(String(await readBodies(database(), [stored[0]?.id ?? ''])), body);
    }
  });

  it('is known when it comes again, and keeps the bytes of a copy that differ', async () => {
    await database().clear('dlq_events');
    const report = `{"eventType": "order", "eventId": "1", "payload": ${spaced}, "error": "no"}`;
    const push = (data: string) =>
      JSON.stringify({
        message: {
          data: Buffer.from(data).toString('base64'),
          messageId: '7',
          attributes: { event_id: '1', event_type: 'order' },
        },
        subscription: 's',
      });
    await store([report]);
    await store([report]);
    await store([push(text)]);
    await store([push(text)]);
    const rows = await database().sql(
      `select facts ->> 'printed_as' as print from dlq_events join dlq_captures on dlq_captures.event_id = dlq_events.id where is_original`,
    );
    assert.equal(rows.length, 1);
    assert.match(String(rows[0]?.print), /^\d+ \w+ spaced$/);
    assert.deepEqual(await readBodies(database()), [Buffer.from(text)]);
  });
});
