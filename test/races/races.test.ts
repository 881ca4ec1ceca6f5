import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { useDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait-until.ts';
import { foretell, interleave } from './orders.ts';
import { readStage, type StepName, setStage, steps } from './stage.ts';

const page = path.resolve(import.meta.dirname, '../../docs/races.md');
const introduction = `# Races: who settles an event

Workers A and B of the schedule and a worker R of a replay work on one event, while it fails again at its consumer and an
operator discards it. The tables have the outcome of every order of their statements, as test/races/races.test.ts runs them on
PostgreSQL (\`npm run races\` writes this page). In each order the test demands the same:

- Only the holder of the lease settles. A settlement by anyone else is \`stale\` and changes nothing.
- A lease that has ended is still valid until another worker claims the event: a late settlement counts as long as nobody else
  delivers the event.
- Each settled delivery is one attempt, and an event is SUCCEEDED after exactly one of them.
- The schedule takes an event that a replay holds only after the replay has returned it.

## Orders

Each cell is one committed statement.
`;
const overlapping = `## Statements at the same moment

The first statement runs in a transaction that is still open when the second begins. The outcome is that of one order or the
other; a statement that finds the event locked may also leave it as it is. A settlement never waits: it reports the event as
\`locked\`, settles the others of its batch, and is repeated.
`;

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
const pairs = rivals.flatMap((first) => rivals.map((second) => [first, second] as const));
const preludes: Readonly<Record<string, readonly StepName[]>> = {
  'while the lease of A lasts': ['A claims'],
  'after the lease of A': ['A claims', 'the lease ends'],
};

describe('sessions that race for an event', () => {
  const database = useDatabase();
  const sections: string[] = [];
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

  for (const cast of casts) {
    const name = cast.flat().join(', ');
    it(`only the holder of the lease settles, in every order of: ${name}`, async () => {
      const rows: string[] = [];
      for (const order of interleave(cast)) {
        const { reports, end } = await play(order);
        const told = order.map((step, i) => (reports[i] ? `${step}: ${reports[i]}` : step));
        assert.deepEqual(reports, foretell(order), told.join('; '));
        const delivered = order.filter(
          (step, i) => step.endsWith('delivers') && reports[i] === 'counts',
        ).length;
        assert.equal(end.attempts, delivered, told.join('; '));
        assert.equal(end.status === 'SUCCEEDED', delivered === 1, told.join('; '));
        rows.push(`| ${told.join(' | ')} | ${end.status} | ${end.attempts} |`);
      }
      const heading = `| ${cast
        .flat()
        .map((_, i) => i + 1)
        .join(' | ')} | end | attempts |`;
      sections.push(
        `### ${name}\n\n${heading}\n|${'---|'.repeat(cast.flat().length + 2)}\n${rows.join('\n')}\n`,
      );
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
    let isWaiting = false;
    await waitUntil('the second statement ends or waits', async () => {
      const locks = `select from pg_stat_activity where application_name = 'second' and wait_event_type = 'Lock' and datname = current_database()`;
      isWaiting = !isDone && (await database().sql(locks)).length > 0;
      return isDone || isWaiting;
    });
    await first.query({ text: 'commit' });
    const report = await rival;
    const repeated = report === 'locked' ? await steps[other](stage, second) : report;
    reports.push(repeated);
    const shown = `${report === 'locked' ? 'locked, then ' : ''}${repeated}${isWaiting ? ' (waits)' : ''}`;
    return { reports, end: await readStage(stage), shown };
  };

  for (const [situation, prelude] of Object.entries(preludes)) {
    it(`statements at the same moment end as if one had come later, ${situation}`, async () => {
      const rows: string[] = [];
      for (const [one, other] of pairs) {
        const { shown, ...overlapped } = await overlap(prelude, [one, other]);
        const after = prelude.length;
        const inTurn = await play([...prelude, one, other]);
        const swapped = await play([...prelude, other, one]);
        const alone = await play([...prelude, one]);
        const allowed = [
          { reports: inTurn.reports.slice(after), end: inTurn.end },
          { reports: swapped.reports.slice(after).reverse(), end: swapped.end },
          // Who finds the event locked may leave it.
          ...['gets nothing', 'changes nothing'].map((nothing) => ({
            reports: [...alone.reports.slice(after), nothing],
            end: alone.end,
          })),
        ];
        assert.ok(
          allowed.some((each) => JSON.stringify(each) === JSON.stringify(overlapped)),
          `${one}, ${other}: ${JSON.stringify(overlapped)}, allowed: ${JSON.stringify(allowed)}`,
        );
        const { status, attempts } = overlapped.end;
        rows.push(`| ${one}: ${overlapped.reports[0]} | ${other}: ${shown} | ${status} | ${attempts} |`);
      }
      const heading = '| open transaction | at the same time | end | attempts |\n|---|---|---|---|';
      sections.push(`### ${situation}\n\n${heading}\n${rows.join('\n')}\n`);
    });
  }

  it('docs/races.md has the outcome of each race (after a change: npm run races)', (context) => {
    const orders = sections.slice(0, casts.length);
    const text = [introduction, ...orders, overlapping, ...sections.slice(casts.length)].join('\n');
    context.assert.fileSnapshot(text, page, { serializers: [String] });
  });
});
