import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { aSettlement } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

const report = { origin: 'report', errorReason: 'card declined' } as const satisfies Partial<Capture>;

describe('the failure of a capture', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);
  const update = (id: string, status: string) =>
    database().sql<{ token: string }>(
      'update dlq_events set status = $2 where id = $1 returning lease_token as token',
      [id, status],
    );
  const listFailures = async (id: string) => {
    const rows = await database().sql('select failure from dlq_captures where event_id = $1 order by id', [
      id,
    ]);
    return rows.map(({ failure }) => failure);
  };

  it('is that of the redelivery whose token it has, whatever publication it names', async () => {
    const publication = days.publication(-5);
    const { id } = await days.capture({ publication });
    await days.deliver(id);
    const told = { ...(await days.redelivered(id)), publication };
    await days.capture({ ...report, ...told });
    await days.capture(told);

    assert.deepEqual(await listFailures(id), [2, 2]);
  });

  it('is that of its publication, also if it is told after those of redeliveries', async () => {
    const publication = days.publication(-5);
    const { id } = await days.capture({ publication });
    for (let i = 0; i < 2; i++) {
      await days.deliver(id);
      await days.capture({ ...report, ...(await days.redelivered(id)) });
    }
    await days.capture({ publication, deliveryId: 'late' }, -1);

    assert.deepEqual(await listFailures(id), [2, 3, 1]);
  });

  it('is a new one right after SQL has closed the event as delivered', async () => {
    const { id } = await days.capture();
    await days.deliver(id);
    await days.capture({ publication: days.publication(1) });
    await update(id, 'SUCCEEDED');
    await days.capture(report);

    const { status, failures } = await days.show(id);
    assert.deepEqual([status, failures], ['PENDING', 3]);
  });

  it('is that of the delivery in flight, also after one of another publication before it', async () => {
    const { id } = await days.capture();
    await days.deliver(id);
    await days.capture({ publication: days.publication(1) });
    await days.pass(1);
    await update(id, 'PROCESSING');
    await days.capture(report);

    assert.equal((await days.show(id)).failures, 3);
  });

  it('of another publication keeps an event open that its target accepts at this moment', async () => {
    const { id } = await days.capture();
    const [leased] = await update(id, 'PROCESSING');
    await days.capture({ publication: days.publication(1) });
    const settlement = aSettlement(id, leased?.token ?? '');
    await settleEvents(database().db, { runId: null, settlements: [settlement] });

    const { status, failures } = await days.show(id);
    assert.deepEqual([status, failures], ['PENDING', 2]);
  });
});
