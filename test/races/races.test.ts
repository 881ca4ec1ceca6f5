import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { useDatabase } from '../support/database.ts';
import { pickVariant, sample } from '../support/sample.ts';
import { waitUntil } from '../support/wait-until.ts';
import { foretell, interleave } from './orders.ts';
import { readStage, type StepName, setStage, steps } from './stage.ts';

const casts: readonly (readonly StepName[])[][] = [
  [['A claims', 'A delivers'], ['B claims', 'B delivers'], ['the lease ends']],
  [['A claims', 'A releases'], ['B claims', 'B delivers'], ['the lease ends']],
  [['A claims', 'A delivers'], ['R claims', 'R delivers'], ['the lease ends']],
  [['A claims', 'A releases'], ['R claims', 'R delivers'], ['the lease ends']],
];

/** The statements of sessions at the same moment to an event that A has claimed. */
const rivals = [
  'A delivers',
  'A releases',
  'B claims',
  'R claims',
  'it fails again',
  'Ann discards it',
] as const satisfies readonly StepName[];
const pairs = sample(rivals.flatMap((first) => rivals.map((second) => [first, second] as const)));
const preludes: Readonly<Record<string, readonly StepName[]>> = {
  'while the lease of A lasts': ['A claims'],
  'after the lease of A': ['A claims', 'the lease ends'],
};

describe('sessions that race for an event', () => {
  const database = useDatabase();
  const plays = new Map<string, ReturnType<typeof playNow>>();
  let first: Database;
  let second: Database;
  before(() => {
    const open = (name: string) => openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, name);
    first = open('first');
    second = open('second');
  });
  after(() => Promise.all([first.close(), second.close()]));

  /** Does steps one after the other. Returns what they report and what is stored at the end. */
  const play = async (order: readonly StepName[]) => {
    const key = order.join();
    const played = plays.get(key) ?? playNow(order);
    plays.set(key, played);
    return played;
  };
  const playNow = async (order: readonly StepName[]) => {
    const stage = await setStage(database());
    const reports: string[] = [];
    for (const step of order) reports.push(await steps[step](stage, database().db));
    return { reports, end: await readStage(stage) };
  };

  for (const cast of pickVariant('cast', casts)) {
    const name = cast.flat().join(', ');
    it(`only the holder of the lease settles, in every order of: ${name}`, async () => {
      for (const order of interleave(cast)) {
        const { reports, end } = await play(order);
        const told = order.map((step, i) => (reports[i] ? `${step}: ${reports[i]}` : step));
        assert.deepEqual(reports, foretell(order), told.join('; '));
        const delivered = order.filter(
          (step, i) => step.endsWith('delivers') && reports[i] === 'counts',
        ).length;
        assert.equal(end.attempts, delivered, told.join('; '));
        assert.equal(end.status === 'SUCCEEDED', delivered === 1, told.join('; '));
      }
    });
  }

  /**
   * Does a step in a transaction, another meanwhile, and commits. A settlement that finds the event locked is
   * repeated.
   */
  const overlap = async (prelude: readonly StepName[], [one, other]: readonly [StepName, StepName]) => {
    const stage = await setStage(database());
    for (const step of prelude) await steps[step](stage, database().db);
    await first.query({ text: 'begin' });
    const reports = [await steps[one](stage, first)];
    let isDone = false;
    const rival = steps[other](stage, second).finally(() => {
      isDone = true;
    });
    await waitUntil('the second statement ends or waits', async () => {
      const locks = `select from pg_stat_activity where application_name = 'second' and wait_event_type = 'Lock' and datname = current_database()`;
      return isDone || (await database().sql(locks)).length > 0;
    });
    await first.query({ text: 'commit' });
    const report = await rival;
    const repeated = report === 'locked' ? await steps[other](stage, second) : report;
    reports.push(repeated);
    return { reports, end: await readStage(stage) };
  };

  for (const [situation, prelude] of Object.entries(preludes)) {
    it(`statements at the same moment end as if one had come later, ${situation}`, async () => {
      for (const [one, other] of pairs) {
        const overlapped = await overlap(prelude, [one, other]);
        const after = prelude.length;
        const inTurn = await play([...prelude, one, other]);
        const swapped = await play([...prelude, other, one]);
        const alone = await play([...prelude, one]);
        const allowed = [
          { reports: inTurn.reports.slice(after), end: inTurn.end },
          { reports: swapped.reports.slice(after).reverse(), end: swapped.end },
          // A worker may leave an event that it finds locked.
          ...['gets nothing', 'changes nothing'].map((nothing) => ({
            reports: [...alone.reports.slice(after), nothing],
            end: alone.end,
          })),
        ];
        assert.ok(
          allowed.some((each) => JSON.stringify(each) === JSON.stringify(overlapped)),
          `${one}, ${other}: ${JSON.stringify(overlapped)}, allowed: ${JSON.stringify(allowed)}`,
        );
      }
    });
  }
});
