import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

describe('a failure of a message whose subscription was rewound', () => {
  const database = useDatabase();
  const report = { origin: 'report', errorReason: 'card declined' } as const;
  const days = openDays(database);
  let id = '';
  const copy = (published: number, deliveryId: string) =>
    days.capture({ publication: days.publication(published), deliveryId }, days.now());

  beforeEach(async () => {
    await days.begin();
    ({ id } = await copy(-10, 'm-1'));
  });

  it('is another one', async () => {
    await days.deliver(id);
    await days.pass(3 * 24 * 60);
    await copy(-10, 'm-2');

    const { status, failures, retries } = await days.show(id);
    assert.deepEqual({ status, failures, retries }, { status: 'PENDING', failures: 2, retries: 0 });
  });

  it('is known to a report that names no delivery, also after an earlier delivery', async () => {
    await days.deliver(id);
    await days.pass(3 * 24 * 60);
    await copy(-10, 'm-2');
    await days.capture(report);

    const { failures, retries, reason } = await days.show(id);
    assert.deepEqual({ failures, retries, reason }, { failures: 2, retries: 0, reason: 'card declined' });
  });

  it('has its own number, with all that tell it', async () => {
    await days.pass(3 * 24 * 60);
    await copy(-10, 'm-2');
    await days.capture({ ...report, publication: days.publication(-10) }, days.now());

    const told = 'select failure, is_first from dlq_captures where event_id = $1 order by id';
    assert.deepEqual(await database().sql(told, [id]), [
      { failure: 2, is_first: true },
      { failure: 2, is_first: false },
    ]);
  });

  it('is not taken for that of another publication, also after a report that names none', async () => {
    await days.pass(3 * 24 * 60);
    await copy(-10, 'm-2');
    await days.capture(report);
    await copy(days.now() - 5, 'm-3');

    assert.equal((await days.show(id)).failures, 3);
  });
});
