import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

const report = { origin: 'report', errorReason: 'card declined' } as const satisfies Partial<Capture>;
const hour = 60;
const day = 24 * hour;

describe('a failure that many voices tell', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);
  const show = async (id: string) => {
    const { status, failures, retries } = await days.show(id);
    return { status, failures, retries };
  };

  it('stays permanent when the broker brings its copy of the redelivery that was reported', async () => {
    const { id } = await days.capture(report);
    await days.deliver(id);
    const redelivered = await days.redelivered(id);
    await days.pass(5);
    await days.capture({ ...report, ...redelivered, errorKind: 'permanent' });
    await days.pass(12);
    await days.capture({ ...redelivered, deliveryId: 'copy-1' });

    assert.deepEqual(await show(id), { status: 'FAILED_PERMANENTLY', failures: 2, retries: 1 });
  });

  it('opens no event again for an older delivery than the one that was accepted', async () => {
    const { id } = await days.capture(report);
    await days.deliver(id);
    const first = await days.redelivered(id);
    await days.capture({ ...report, ...first });
    await days.deliver(id);
    await days.capture({ ...first, deliveryId: 'copy-of-1' });

    assert.deepEqual(await show(id), { status: 'SUCCEEDED', failures: 2, retries: 1 });
  });

  it('hears a failure that looks like the one before, after each redelivery', async () => {
    const { id } = await days.capture(report);
    for (const failures of [2, 3, 4]) {
      await days.deliver(id);
      await days.capture({ ...report, ...(await days.redelivered(id)) });
      assert.deepEqual(await show(id), { status: 'PENDING', failures, retries: failures - 1 });
    }
  });

  it('hears it without a token, too, also from a consumer whose clock is some seconds behind', async () => {
    const { id } = await days.capture(report);
    for (const [failures, failed] of [[2], [3], [4, -5 / 60]]) {
      await days.deliver(id);
      await days.capture(report, failed);
      assert.equal((await show(id)).failures, failures);
    }
  });

  for (const between of ['a delivery', 'a discard']) {
    it(`is one failure of a publication that the broker forwards twice, with ${between} between`, async () => {
      const copy = { publication: days.publication(-10) };
      const { id } = await days.capture({ ...copy, deliveryId: 'm-1' }, 0);
      if (between === 'a delivery') await days.deliver(id);
      else await database().sql(`update dlq_events set status = 'DISCARDED' where id = $1`, [id]);
      await days.pass(3 * hour);
      await days.capture({ publication: days.publication(-10), deliveryId: 'm-2' }, 1);

      assert.equal((await show(id)).failures, 1);
      assert.notEqual((await show(id)).status, 'PENDING');
    });
  }

  it('is one failure of a reported publication whose copy comes late, after a delivery that failed, too', async () => {
    const { id } = await days.capture({ ...report, publication: days.publication(-10) }, 0);
    await days.deliver(id);
    await days.pass(hour);
    await days.capture({ ...report, ...(await days.redelivered(id)), errorReason: 'no answer' });
    await days.pass(hour);
    await days.capture({ publication: days.publication(-10), deliveryId: 'copy' }, 2 * hour - 1);

    assert.deepEqual(await show(id), { status: 'PENDING', failures: 2, retries: 1 });
  });

  for (const [clock, failed] of Object.entries({ right: 0, 'days ahead': 9 * day })) {
    it(`is another one if the application published the message again: the clock is ${clock}`, async () => {
      const { id } = await days.capture(report);
      await days.deliver(id);
      await days.capture(report, failed);
      await days.deliver(id);
      await days.pass(5 * day);
      await days.capture({ publication: days.publication(days.now() - 5), deliveryId: 'm-9' }, days.now());

      assert.deepEqual(await show(id), { status: 'PENDING', failures: 3, retries: 0 });
    });
  }

  it('of a redelivery is heard after that of another publication, with its decision', async () => {
    const { id } = await days.capture({ publication: days.publication(-10) });
    await days.deliver(id);
    const redelivered = await days.redelivered(id);
    await days.pass(10);
    await days.capture({ publication: days.publication(days.now() - 5) });
    for (let i = 0; i < 2; i++) await days.capture({ ...report, ...redelivered, errorKind: 'permanent' });

    assert.deepEqual(await show(id), { status: 'FAILED_PERMANENTLY', failures: 3, retries: 1 });
  });

  it('is told apart by no time of the message: five days with the same words are five failures', async () => {
    const occurredAt = new Date(0);
    const { id } = await days.capture({ ...report, occurredAt });
    for (const failures of [2, 3, 4, 5]) {
      await days.deliver(id);
      await days.pass(day);
      await days.capture({ ...report, occurredAt });
      assert.equal((await show(id)).failures, failures);
    }
  });

  it('is compared with what was told since the last delivery', async () => {
    const { id } = await days.capture({ ...report, errorReason: 'A' });
    await days.deliver(id);
    await days.capture({ ...report, errorReason: 'B' });
    await days.deliver(id);
    await days.pass(6);
    await days.capture({ ...report, errorReason: 'A' });

    assert.deepEqual(await show(id), { status: 'PENDING', failures: 3, retries: 2 });
    assert.equal((await days.show(id)).reason, 'A');
  });

  it('is told by a report first and a copy hours later, and opens nothing again', async () => {
    const { id } = await days.capture(report);
    await days.deliver(id);
    await days.pass(7 * hour);
    await days.capture({ publication: days.publication(-1), deliveryId: 'copy' }, 5 * hour);

    assert.deepEqual(await show(id), { status: 'SUCCEEDED', failures: 1, retries: 0 });
  });

  it('is told by a copy first and a report later, whose reason and decision count while the event waits', async () => {
    const { id } = await days.capture({ publication: days.publication(-1), deliveryId: 'copy' });
    await days.capture({ ...report, errorKind: 'permanent' });

    assert.deepEqual(await show(id), { status: 'FAILED_PERMANENTLY', failures: 1, retries: 0 });
    assert.equal((await days.show(id)).reason, 'card declined');
  });

  it('keeps messages with other attributes apart, in one batch', async () => {
    const copies = ['A', 'B', 'C'].map((tenant) => ({
      headers: { tenant },
      publication: days.publication(-1),
    }));
    const stored = await days.captureAll(copies);

    assert.equal(new Set(stored.map(({ id }) => id)).size, 3);
    assert.deepEqual(
      stored.map(({ conflictsWith }) => conflictsWith),
      [null, stored[0]?.id, stored[0]?.id],
    );
  });

  it('keeps a tombstone apart from the message whose id it has', async () => {
    const { id } = await days.capture();
    const tombstone = await days.capture({ body: Buffer.alloc(0) });

    assert.notEqual(tombstone.id, id);
    assert.equal(tombstone.conflictsWith, id);
  });

  for (const inBatch of [false, true]) {
    it(`is one failure of a nameless report and of one with a consumer, ${inBatch ? 'in a batch' : 'one by one'}`, async () => {
      const voices = [report, { ...report, consumerGroup: 'billing' }];
      const stored = inBatch
        ? await days.captureAll(voices)
        : [await days.capture(voices[0]), await days.capture(voices[1])];

      assert.equal(stored[0]?.id, stored[1]?.id);
    });
  }

  it('begins the retries anew when it is another failure', async () => {
    const { id } = await days.capture(report);
    for (let i = 0; i < 5; i++) await days.deliver(id, false);
    await days.deliver(id);
    await days.pass(2 * day);
    await days.capture({ ...report, maxRetries: 3, publication: days.publication(days.now() - 1) });

    assert.deepEqual(await show(id), { status: 'PENDING', failures: 2, retries: 0 });
  });

  it('is an event of its own without any id, once time has passed', async () => {
    const heartbeat = { eventKey: 'sha256:beat', eventId: null };
    const first = await days.capture(heartbeat);
    const again = await days.capture(heartbeat);
    await days.pass(6 * hour);
    const later = await days.capture(heartbeat);
    await days.deliver(later.id);
    const last = await days.capture(heartbeat);

    assert.equal(again.id, first.id);
    assert.equal(new Set([first.id, later.id, last.id]).size, 3);
    assert.deepEqual([later.conflictsWith, last.conflictsWith], [null, null]);
  });

  it('is another one of a record with the same offset and another time: its topic was created again', async () => {
    const { id } = await days.capture({ publication: days.publication(-60, 'kafka:orders/0/5') });
    await days.deliver(id);
    await days.pass(day);
    await days.capture({ publication: days.publication(days.now() - 1, 'kafka:orders/0/5') });

    assert.deepEqual(await show(id), { status: 'PENDING', failures: 2, retries: 0 });
  });

  it('is heard from its broker, whatever a report without content said of its publication before', async () => {
    const { id } = await days.capture({ publication: days.publication(-60) });
    await days.deliver(id);
    await days.pass(day);
    const publication = days.publication(days.now() - 5);
    await days.capture({ ...report, body: Buffer.alloc(0), publication });
    await days.capture({ publication, deliveryId: 'copy' });

    assert.deepEqual(await show(id), { status: 'PENDING', failures: 2, retries: 0 });
  });

  it('is no news when it is older than our latest delivery', async () => {
    const { id } = await days.capture(report);
    await days.pass(hour);
    await days.deliver(id);
    await days.pass(hour);
    await days.capture({ ...report, errorReason: 'spooled' }, hour / 2);

    assert.deepEqual(await show(id), { status: 'SUCCEEDED', failures: 1, retries: 0 });
  });

  it('is repeated by the same delivery whenever it comes', async () => {
    const { id } = await days.capture({ deliveryId: 'm-1' });
    await days.capture({ deliveryId: 'm-2' });
    await days.deliver(id);
    await days.pass(30 * day);
    for (const deliveryId of ['m-1', 'm-2']) await days.capture({ deliveryId });

    assert.deepEqual(await show(id), { status: 'SUCCEEDED', failures: 1, retries: 0 });
  });
});
