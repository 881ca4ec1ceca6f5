import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

const report = { origin: 'report', errorReason: 'card declined' } as const satisfies Partial<Capture>;
const empty = { ...report, body: Buffer.alloc(0) };

describe('an event without content, once its message comes', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);

  it('lists its first report at the time when that came', async () => {
    const { id } = await days.capture(empty);
    await days.pass(60);
    await days.capture();

    const [first] = await database().sql(
      `select captured_at = created_at as "isThen" from dlq_captures as capture
       join dlq_events as event on event.id = capture.event_id where event.id = $1 order by capture.id`,
      [id],
    );
    assert.deepEqual(first, { isThen: true });
  });

  it('is of the consumer that proved its failure, not of one that told no content', async () => {
    const { id } = await days.capture({ ...empty, consumerGroup: 'hostile' });
    await days.capture();

    assert.equal((await days.capture({ ...report, consumerGroup: 'billing' })).id, id);
  });

  it('counts no failure of a delivery without it', async () => {
    const { id } = await days.capture(empty);
    await days.deliver(id);
    const token = await days.redelivered(id);
    await days.capture({ publication: days.publication(1) });
    const { failures } = await days.show(id);
    await days.capture({ ...report, ...token });

    assert.equal((await days.show(id)).failures, failures);
  });
});
