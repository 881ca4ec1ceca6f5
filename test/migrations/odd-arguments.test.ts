import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

const token = '0123456789abcdef0123456789abcdef';

describe('an odd argument of dlq_capture', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const capture = async (more: string) => {
    await database().sql(`select dlq_capture(event_type => 'order', payload => '1', ${more})`);
    const [event] = await database().sql<Record<string, unknown>>('select * from dlq_events');
    return event ?? {};
  };

  for (const more of [`event_id => ''`, `source_topic => '', source_partition => 0, source_offset => 1`])
    it(`names no message: ${more}`, async () => {
      const first = await capture(more);
      await capture(more);
      assert.equal((await database().sql('select from dlq_events where id <> $1', [first.id])).length, 1);
    });

  for (const id of [`99999999999999999999.${token}`, `9.${token}`])
    it(`has no event whose redelivery it could be: ${id}`, async () => {
      const event = await capture(`headers => '{"dlo-event-id": "${id}", "dlo-attempt": "99999999999"}'`);
      assert.equal(event.status, 'PENDING');
    });

  it('keeps the token of a redelivery out of the ids of messages', async () => {
    const event = await capture(`headers => '{"dlo-event-id": "7.${token}"}'`);
    assert.equal(event.event_id, null);
  });

  it('is as good as none if it is null', async () => {
    const event = await capture(`headers => 'null', source_kind => null`);
    assert.deepEqual([event.headers, event.source_kind, event.metadata], [{}, 'sql', null]);
  });
});
