import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { giveBack, takeLimits, takeTurns } from '../../../shared/delivery/limits.ts';
import { openWork } from '../../../shared/delivery/work-state.ts';
import { openDueEvents } from '../../../shared/schedule/due-events.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('an open breaker', () => {
  const aGroup = {
    ...{ priority: 0, route: aRouteTo('http://shop/'), target: 'http://shop/', cause: null, kind: 'a' },
    ...{ isOrdered: false, rates: [], ids: [] },
  };
  const database = useDatabase();

  beforeEach(() => database().clear());

  const probe = async (used: number, meanwhile = 'select') => {
    const deps = { db: database().db, retry: retryConfig(), routes: [] };
    const picker = openDueEvents(deps, { dueAt: 'now' });
    const work = openWork(deps, { runId: null, picker, endsAt: Number.POSITIVE_INFINITY });
    const wanted = ['1', '2', '3'].map((id) => ({ id, group: aGroup }));
    const granted = await takeLimits(work, wanted);
    await database().sql(meanwhile);
    await giveBack(work, granted, wanted.slice(0, used));
    return granted.parts.get('0 http://shop/');
  };
  const open = `insert into dlq_breakers (target, state, opened_at, probe_after, updated_at)
    values ('http://shop/', 'OPEN', now() - interval '2 hours', now() - interval '1 hour', now() - interval '1 hour')`;

  it('takes probes back if none was used, and gives no more before the answer to one that was', async () => {
    await database().sql(open);
    const answer = (seconds: number) =>
      `update dlq_breakers set state = 'OPEN', probe_after = now() + interval '${seconds} s'`;
    assert.deepEqual([await probe(1), await probe(1)], [3, 0]);
    await database().sql(answer(0));
    assert.deepEqual([await probe(0), await probe(0, answer(20)), await probe(1)], [1, 1, 0]);
  });

  it('is not said to probe its target if its probe was not used', async () => {
    await database().sql(open);
    await probe(0);
    assert.deepEqual(await database().sql('select state from dlq_breakers'), [{ state: 'OPEN' }]);
  });

  it('gives a replay that does not obey it all that it wants', async () => {
    await database().sql(open);
    const wanted = [{ target: 'http://shop/', cause: '0', wanted: 50 }];
    const turns = await takeTurns(database().db, { wanted, obeysBreakers: false, obeysHolds: true });
    assert.deepEqual(
      turns.map(({ granted }) => granted),
      [50],
    );
  });

  it('gives probes to a target that asked for a pause days ago', async () => {
    await database().sql(open);
    await database().sql(
      `update dlq_breakers set pace = 5, peak = 5, paused_until = now() - interval '9 days'`,
    );
    assert.equal(await probe(1), 3);
  });
});
