import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

const report = { origin: 'report', errorReason: 'card declined' } as const;

describe('a capture that comes late', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);

  it('does not close an event that an operator sends again after a delivery', async () => {
    const publication = days.publication(-10);
    const { id } = await days.capture({ publication });
    await days.deliver(id);
    await days.operate([id], 'PENDING');
    await days.capture({ ...report, publication, errorKind: 'permanent' });

    const { status, failures } = await days.show(id);
    assert.deepEqual({ status, failures }, { status: 'PENDING', failures: 1 });
  });

  it('brings no message in place of one that was changed by plain SQL', async () => {
    const { id } = await days.capture(report);
    await days.operate([id], 'edited');
    await days.capture({ deliveryId: 'copy-1' });

    assert.deepEqual((await days.show(id)).payload, { orderId: 1, edited: true });
  });

  it('is older than a delivery in flight, if its consumer failed before that began', async () => {
    const { id } = await days.capture();
    await database().sql(`update dlq_events set status = 'PROCESSING' where id = $1`, [id]);
    await days.capture(report, days.now() - 1);
    assert.equal((await days.show(id)).failures, 1);

    await days.capture(report, days.now());
    assert.equal((await days.show(id)).failures, 2);
  });

  // Times of hours ahead are those that a clock has set which has stepped back since.
  it('is another failure after the clock of the database has stepped back by hours', async () => {
    const nameless = { eventKey: 'sha256:beat', eventId: null };
    for (const facts of [{}, nameless]) {
      await days.begin();
      const { id } = await days.capture(facts);
      await days.operate([id], 'DISCARDED');
      await days.pass(-180);
      const later = await days.capture(facts);

      assert.equal((await days.show(later.id)).status, 'PENDING');
    }
  });

  it('is of the latest delivery, whose time a clock has set that has stepped back by hours since', async () => {
    const { id } = await days.capture();
    await days.deliver(id);
    await days.pass(-180);
    await days.capture(report, days.now());

    const { status, failures } = await days.show(id);
    assert.deepEqual({ status, failures }, { status: 'PENDING', failures: 2 });
  });

  it('is known by the publication that a voice like another one told', async () => {
    const { id } = await days.capture(report);
    await days.capture(report);
    const publication = days.publication(null, 'orders/0/1');
    await days.capture({ ...report, publication });
    await days.pass(60);
    await days.capture({ ...report, publication });

    assert.equal((await days.show(id)).failures, 1);
  });

  const countRecords = async (id: string, reason: string) => {
    const rows = await database().sql(
      `select from dlq_captures where event_id = $1 and facts ->> 'error_reason' = $2`,
      [id, reason],
    );
    return rows.length;
  };

  it('makes a reprint exact, whose bytes stay also after plain SQL has changed the message', async () => {
    const { id } = await days.capture(report);
    const body = Buffer.from('{ "orderId":1 }');
    await days.capture({ body });
    await days.operate([id], 'edited');

    const originals = await database().sql<{ body: Buffer | null }>(
      'select body from dlq_captures where event_id = $1 and is_original order by id',
      [id],
    );
    assert.deepEqual(originals.at(-1)?.body, body);
  });

  it('keeps each print of a message that reports have', async () => {
    const { id } = await days.capture();
    for (const body of ['{"orderId": 1 }', '{ "orderId": 1}', '{ "orderId": 1}'])
      await days.capture({ ...report, body: Buffer.from(body) });

    assert.equal(await countRecords(id, 'card declined'), 2);
  });

  it('stays in the records whatever others say without proof', async () => {
    const { id } = await days.capture();
    const flood = async (name: string) => {
      for (let i = 0; i < 60; i++)
        await days.capture({ ...report, body: Buffer.alloc(0), errorReason: `${name} ${i}` });
    };
    await flood('before');
    await days.capture(report);
    await flood('behind');

    assert.equal(await countRecords(id, 'card declined'), 1);
  });
});
