import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { takeTokens } from '../../../shared/delivery/limits.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

// A clock that steps back leaves times that it has set in the future: here they are moved there.
describe('after the clock of the database has stepped back', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const tick = () => runTick({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
  const ahead = (table: string, columns: readonly string[], by: string) =>
    database().sql(
      `update ${table} set ${columns.map((column) => `${column} = ${column} + $1::interval`).join()}`,
      [by],
    );
  beforeEach(() => database().clear());

  for (const by of ['90 seconds', '2 hours']) {
    it(`by ${by}, what was due is delivered`, async () => {
      await manyEvents(database(), 3);
      const times = ['created_at', 'last_failure_at', 'first_failure_at', 'retry_after', 'updated_at'];
      await ahead('dlq_events', times, by);
      assert.equal((await tick()).tally.delivered, 3);
    });

    it(`by ${by}, the slot of a worker that has died is free`, async () => {
      await manyEvents(database(), 3);
      await database().sql(
        `with run as (insert into dlq_runs (trigger) values ('schedule') returning id)
         insert into dlq_run_workers select id, 1, gen_random_uuid(), now() + interval '6 seconds' from run`,
      );
      await ahead('dlq_run_workers', ['alive_until'], by);
      assert.equal((await tick()).tally.delivered, 3);
    });

    it(`by ${by}, an open breaker lets its probe go, and closes with it`, async () => {
      await manyEvents(database(), 3);
      await database().sql(
        `insert into dlq_breakers (target, state, opened_at, cooldown_seconds, probe_after)
         values ($1, 'OPEN', now() + $2::interval, 10, now() + $2::interval + interval '70 seconds')`,
        [target().url, by],
      );
      assert.ok((await tick()).tally.delivered >= 1);
      assert.deepEqual(await database().sql('select state from dlq_breakers'), [{ state: 'CLOSED' }]);
    });

    it(`by ${by}, a rate goes on`, async () => {
      const tokens = { route: 'a', ratePerSecond: 5, wanted: 5 };
      assert.equal(await takeTokens(database().db, tokens), 5);
      await ahead('dlq_breakers', ['updated_at'], by);
      assert.equal(await takeTokens(database().db, tokens), 0);
      await database().sql("update dlq_breakers set updated_at = updated_at - interval '1 second'");
      assert.equal(await takeTokens(database().db, tokens), 5);
    });
  }

  it('by 2 hours in a worker, a target that took no more gets the rest within the same tick', async (context) => {
    await manyEvents(database(), 3);
    const stepBack = () => context.mock.timers.enable({ apis: ['Date'], now: Date.now() - 7_200_000 });
    target().answer = (_, response) => {
      target().answer = (_, next) => next.end();
      response.writeHead(429, { 'retry-after': '2' }).end(() => setTimeout(stepBack, 500));
    };
    assert.equal((await tick()).tally.delivered, 3);
  });
});
