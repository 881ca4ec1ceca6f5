import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

const report = { origin: 'report', errorReason: 'card declined' } as const satisfies Partial<Capture>;
const nameless = { eventKey: 'sha256:beat', eventId: null } as const satisfies Partial<Capture>;

describe('the event of a capture', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);
  /** An event that a report made, and its edit, which has other headers. */
  const captureAndEdit = async (facts: Partial<Capture> = {}) => {
    const { id } = await days.capture({ ...report, ...facts });
    const [edit] = await database().sql<{ edit_id: string }>(
      `select edit_id from dlq_edit_events(1, array[$1::bigint], array[null::bytea], array['{"tenant": "b"}'::jsonb])`,
      [id],
    );
    return [id, edit?.edit_id];
  };

  const others: Record<string, Partial<Capture>> = {
    type: { eventType: 'order.paid' },
    topic: { sourceTopic: 'orders' },
    key: { sourceKey: 'k-1' },
  };
  for (const [fact, said] of Object.entries(others)) {
    it(`is another one if it has no id and another ${fact}`, async () => {
      const { id } = await days.capture(nameless);

      assert.notEqual((await days.capture({ ...nameless, ...said })).id, id);
    });
  }

  it('is the same without an id, however long its type is', async () => {
    const eventType = 'type.'.repeat(200);
    const { id } = await days.capture({ ...nameless, eventType });

    assert.equal((await days.capture({ ...nameless, eventType })).id, id);
  });

  for (const [first, then] of [
    ['X-Tenant', 'x-tenant'],
    ['x-tenant', 'X-Tenant'],
  ] as const) {
    it(`is the same if transports write the name of a header as ${first}, then as ${then}`, async () => {
      const { id } = await days.capture({ headers: { [first]: 'a' } });

      assert.equal((await days.capture({ headers: { [then]: 'a' } })).id, id);
    });
  }

  const binary = { contentType: 'application/octet-stream' };
  const alike: Record<string, readonly [Partial<Capture>, Partial<Capture>]> = {
    'JSON in another print': [{ body: Buffer.from('{"n":1}') }, { body: Buffer.from('{"n": 1}') }],
    'the base64 of its bytes': [
      { ...binary, body: Buffer.from('//4=', 'base64') },
      { ...binary, body: Buffer.from('//4=') },
    ],
  };
  for (const [what, [first, then]] of Object.entries(alike)) {
    it(`is another one for a message of its id that is ${what}`, async () => {
      const { id } = await days.capture(first);
      const other = await days.capture(then);

      assert.deepEqual([other.isNew, other.conflictsWith], [true, id]);
    });
  }

  it('is the same for a report that prints its JSON in another way', async () => {
    const { id } = await days.capture({ body: Buffer.from('{ "n" : 1 }') });

    assert.equal((await days.capture({ ...report, body: Buffer.from('{"n":1}') })).id, id);
  });

  it('is another one without an id if the clock was set back since', async () => {
    const { id } = await days.capture(nameless);
    await days.pass(-60);

    assert.notEqual((await days.capture(nameless)).id, id);
  });

  it('is another one if it names no consumer and two have failed', async () => {
    const consumers = ['billing', 'shipping'];
    const known = await days.captureAll(consumers.map((consumerGroup) => ({ ...report, consumerGroup })));
    const nameless = await days.capture(report);

    assert.equal(new Set([...known, nameless].map(({ id }) => id)).size, 3);
  });

  it('is found by its content after the first one of its id is gone', async () => {
    const { id: first } = await days.capture();
    const { id } = await days.capture({ body: Buffer.from('{"orderId": 2}') });
    await database().sql('delete from dlq_events where id = $1', [first]);

    assert.equal((await days.capture({ body: Buffer.from('{"orderId": 2}') })).id, id);
  });

  it('is the one of its consumer before one of no known consumer', async () => {
    await days.capture({ headers: { tenant: 'a' } });
    const { id } = await days.capture({ consumerGroup: 'billing', headers: { tenant: 'b' } });

    assert.equal((await days.capture({ ...report, consumerGroup: 'billing' })).id, id);
  });

  it('is the same for its first consumer after another one reported its redelivery', async () => {
    const { id } = await days.capture({ consumerGroup: 'billing' });
    await days.deliver(id);
    const token = await days.redelivered(id);
    await days.capture({ ...token, consumerGroup: 'shipping' });

    assert.equal((await days.capture({ consumerGroup: 'billing' })).id, id);
    assert.notEqual((await days.capture({ consumerGroup: 'shipping' })).id, id);
  });

  it('is the redelivered one, also for the delivery id of another one', async () => {
    const { id } = await days.capture({ consumerGroup: 'billing' });
    const shipping = { consumerGroup: 'shipping', deliveryId: 'd-1' };
    await days.capture(shipping);
    await days.deliver(id);

    assert.equal((await days.capture({ ...shipping, ...(await days.redelivered(id)) })).id, id);
  });

  it('is the edit for a consumer that names no publication: the edit was sent last', async () => {
    const [, edit] = await captureAndEdit();

    assert.equal((await days.capture(report)).id, edit);
  });

  it('is the original for a consumer that names its publication', async () => {
    const publication = days.publication(-5);
    const [id] = await captureAndEdit({ publication });

    assert.equal((await days.capture({ ...report, publication })).id, id);
  });

  it('is the one that this request made, for its repetition', async () => {
    const [id] = await captureAndEdit({ deliveryId: 'd-1' });

    assert.equal((await days.capture({ ...report, deliveryId: 'd-1' })).id, id);
  });
});
