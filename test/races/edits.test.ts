import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { leaseEvents } from '../../shared/delivery/lease.ts';
import { recover } from '../../shared/delivery/recover.ts';
import { settleEvents } from '../../shared/delivery/settle.ts';
import { changeRun } from '../../shared/replay/change-run.ts';
import { aSettlement, claim } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { aRouteTo, retryConfig } from '../support/routes.ts';
import { aRun, endLeases } from '../support/runs.ts';
import { waitUntil } from '../support/wait-until.ts';
import { interleave } from './orders.ts';

const url = 'http://shop/';
const toEuro = [{ op: 'replace', path: '/currency', value: 'EUR' }];

describe('the schedule and an edited replay that race for an event', () => {
  const database = useDatabase();
  let first: Database;
  let second: Database;
  before(() => {
    const open = (name: string) => openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, name);
    first = open('first');
    second = open('second');
  });
  after(() => Promise.all([first.close(), second.close()]));

  const setStage = async () => {
    await database().sql('with runs as (delete from dlq_runs) delete from dlq_events');
    const id = await anEvent(database());
    const tokens = { A: randomUUID(), E: randomUUID() };
    let runId = '0';
    const settle = async (db: Database, by: 'A' | 'E', more: object) => {
      const settlements = [aSettlement(id, tokens[by], more)];
      await settleEvents(db, { runId: by === 'E' ? runId : '0', settlements });
      return '';
    };
    const failed = { status: 'PENDING', outcome: 'transient', retryInSeconds: 0 } as const;
    return {
      'A claims': async (db: Database) =>
        (await claim({ ...database(), db }, { leaseToken: tokens.A })).length > 0 ? 'gets it' : '',
      'A fails': (db: Database) => settle(db, 'A', failed),
      'E selects': async (db: Database) => {
        const run = await aRun({ db, routes: [aRouteTo(url)] }, { filter: { ids: [id] }, patch: toEuro });
        runId = run.id;
        return run.selected > 0 ? 'gets it' : '';
      },
      'E claims': async (db: Database) => {
        const terms = { runId, dueAt: null, upTo: 1, leaseSeconds: 60, leaseToken: tokens.E };
        const claimed = await leaseEvents(db, { ...terms, events: [{ id, isOrdered: false }] });
        return claimed.length > 0 ? 'gets it' : '';
      },
      // As an edited delivery that fails is settled: the event is restored.
      'E fails': (db: Database) => settle(db, 'E', { ...failed, ...restored, isFailed: false }),
      'E releases': (db: Database) => settle(db, 'E', { status: 'PENDING', outcome: null, ...restored }),
      'E is cancelled': async (db: Database) => {
        if (runId === '0') return '';
        const cancel = changeRun(db, 'cancel', { runId, actor: 'ada', reason: null });
        return cancel.then(
          () => 'is cancelled',
          () => '',
        );
      },
    };
  };
  const restored = { retryInSeconds: null };
  type Stage = Awaited<ReturnType<typeof setStage>>;
  type Step = keyof Stage;

  /**
   * Waits for nothing: a delivered or failed event is settled, every other is in a run that is open, or due
   * at some time.
   */
  const assertNotStuck = async (told: string) => {
    await endLeases(database());
    await recover({ db: database().db, retry: retryConfig() });
    const stuck = await database().sql(
      `select status from dlq_events where retry_after = 'infinity' and status = 'PENDING'
         and not exists (select from dlq_run_events join dlq_runs on dlq_runs.id = run_id
           where event_id = dlq_events.id and outcome = 'waiting' and ended_at is null)`,
    );
    assert.deepEqual(stuck, [], told);
  };

  it('the schedule gets the event before the replay selects it, or after it was cancelled, in every order', async () => {
    const sessions: Step[][] = [
      ['A claims', 'A fails'],
      ['E selects', 'E claims', 'E fails'],
      ['E is cancelled'],
    ];
    for (const order of interleave<Step>(sessions)) {
      const stage = await setStage();
      let isHeld = false;
      const reports: string[] = [];
      for (const step of [...order, 'A claims'] as const) {
        const report = await stage[step](database().db);
        reports.push(`${step}: ${report}`);
        const told = reports.join('; ');
        assert.equal(step === 'A claims' && report === 'gets it' && isHeld, false, told);
        if (step === 'E selects') isHeld = report === 'gets it';
        // A delivery in flight is still that of the replay.
        if (step === 'E is cancelled' && report && !reports.includes('E claims: gets it')) isHeld = false;
      }
      await assertNotStuck(reports.join('; '));
    }
  });

  const pairs: readonly (readonly [prelude: Step[], one: Step, other: Step])[] = [
    [[], 'A claims', 'E selects'],
    [[], 'E selects', 'A claims'],
    [['E selects'], 'E is cancelled', 'E claims'],
    [['E selects'], 'E claims', 'E is cancelled'],
    [['E selects', 'E claims'], 'E is cancelled', 'E releases'],
    [['E selects', 'E claims'], 'E releases', 'E is cancelled'],
    [['E selects', 'E claims'], 'E is cancelled', 'E fails'],
    [['E selects', 'E claims'], 'E fails', 'E is cancelled'],
  ];
  for (const [prelude, one, other] of pairs) {
    it(`no event is stuck or due with an edit after at the same moment: ${one}, ${other}`, async () => {
      const stage = await setStage();
      for (const step of prelude) await stage[step](database().db);
      await first.query({ text: 'begin' });
      const reports = [await stage[one](first)];
      let isDone = false;
      const rival = stage[other](second).finally(() => {
        isDone = true;
      });
      await waitUntil('the second statement ends or waits', async () => {
        const waits = `select from pg_stat_activity where application_name = 'second' and wait_event_type = 'Lock' and datname = current_database()`;
        return isDone || (await database().sql(waits)).length > 0;
      });
      await first.query({ text: 'commit' });
      reports.push(await rival);
      assert.notDeepEqual(prelude.length === 0 && reports, ['gets it', 'gets it']);
      if (other === 'E releases' || other === 'E fails') await stage[other](second);
      await assertNotStuck(`${one}: ${reports[0]}, ${other}: ${reports[1]}`);
    });
  }
});
