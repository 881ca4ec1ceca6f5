import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { countEvents } from '../../../shared/events/list-events.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { statuses } from '../../../shared/message/event.ts';
import { useDatabase } from '../../support/database.ts';
import { countReads } from '../../support/plans.ts';

describe('the number of events by type, status and error group', () => {
  const database = useDatabase();
  before(async () => {
    const insert = () =>
      database().sql(
        `insert into dlq_events (event_type, payload, status, fingerprint)
         select (array['order.a', 'order%b', 'invoice'])[1 + n % 3], '{}', ($1::text[])[1 + n % 5], 'v2:' || n % 4
         from generate_series(1, 60) n`,
        [statuses],
      );
    await insert();
    await refresh(database().db);
    await database().sql(`update dlq_error_groups set merged_into = 'v2:1' where fingerprint = 'v2:2'`);
    // These are not aggregated yet.
    await insert();
  });

  for (const filter of [
    {},
    ...statuses.map((status) => ({ status: [status] })),
    { status: ['PENDING', 'PROCESSING'], eventType: ['order.*'] },
    { eventType: ['order%b', 'invoice'] },
    { fingerprint: ['v2:1'] },
    { fingerprint: ['v2:2', 'v2:3'], status: ['FAILED_PERMANENTLY'] },
    { eventType: ['unknown'] },
  ] as Filter[]) {
    it(`is that of the events: ${JSON.stringify(filter)}`, async () => {
      const [counted] = await countEvents(database().db, filter, { max: 1000 });
      assert.equal(await countFromDepths(database().db, filter), counted?.events);
    });
  }

  it('is counted, as are stuck events, without a look at the events of leases that have not ended', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, lease_token, lease_expires_at)
       select 'busy', '{}', 'PROCESSING', gen_random_uuid(), now() + interval '1 minute' from generate_series(1, 500)`,
    );
    const params = { statuses: `{${statuses}}`, types: null, fingerprints: null };
    for (const reads of [
      await countReads(database(), 'count-from-depths', params),
      await countReads(database(), 'measure-leases', {}),
    ])
      assert.ok(reads.custom < 20, JSON.stringify(reads));
  });

  it('is unknown with any other condition', async () => {
    assert.equal(
      await countFromDepths(database().db, { status: ['PENDING'], failedAfter: '24h' }),
      undefined,
    );
  });
});
