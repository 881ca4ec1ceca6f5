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

  it('is the same in whichever case a transport writes the names of its headers', async () => {
    const { id } = await days.capture({ headers: { 'X-Tenant': 'a' } });

    assert.equal((await days.capture({ headers: { 'x-tenant': 'a' } })).id, id);
  });

  it('is another one if it names no consumer and two have failed', async () => {
    const consumers = ['billing', 'shipping'];
    const known = await days.captureAll(consumers.map((consumerGroup) => ({ ...report, consumerGroup })));
    const nameless = await days.capture(report);

    assert.equal(new Set([...known, nameless].map(({ id }) => id)).size, 3);
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
