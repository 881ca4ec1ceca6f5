import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { listLanes } from '../../../shared/schedule/lanes.ts';
import { aSettlement } from '../../support/claims.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import { countPages } from '../../support/plans.ts';
import { pickVariant } from '../../support/sample.ts';
import { fillShape, routesOf, type Shape, shapeNames } from '../../support/shapes.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

const events = 2000;
const picked = 200;
const leaseToken = randomUUID();
const dueAt = '2100-01-01';

/** Pages of tables and indexes that a statement may read for each of the events; a lane is one, too. */
const maxPages: Readonly<Record<string, number>> = {
  'walk-lanes': 8,
  'pick-due': 15,
  'pick-run': 21,
  'lease-events': 28,
  'settle-events': 9,
};

// bench/engine/shapes.ts has the time of larger ones.
describe('a worker reads a bounded number of pages for each event', () => {
  const database = useDatabase();
  const read = (name: string, params: Record<string, unknown>) => countPages(database(), name, params);

  for (const shape of shapeNames) {
    for (const size of pickVariant(`plans of ${shape}`, [1, events])) {
      it(`of ${size} ${shape}`, async () => {
        await database().clear();
        for (const [name, params] of Object.entries(await fill(database(), shape, size))) {
          const pages = await read(name, params);
          assert.ok(pages <= picked * (maxPages[name] ?? 0), `${name}: ${pages} pages`);
        }
      });
    }
  }

  it('and asks once for the first event of a key', async () => {
    await database().clear();
    const { 'pick-due': due, 'pick-run': ofRun } = await fill(database(), 'events of one key', events);
    const inAnyOrder = { ...due, groups: due.groups.map((group) => ({ ...group, isOrdered: false })) };
    const forOrder = [
      (await read('pick-due', due)) - (await read('pick-due', inAnyOrder)),
      (await read('pick-run', ofRun)) - (await read('pick-run', { ...ofRun, hasOrdered: false })),
    ];
    assert.ok(Math.max(...forOrder) < picked, `${forOrder} pages`);
  });
});

/** Returns the statements that pick, lease and settle the first events, with their parameters. */
async function fill({ db, sql }: TestDatabase, shape: Shape, size: number) {
  await fillShape(db, shape, { size, events });
  const [{ id: runId } = { id: '' }] = await sql<{ id: string }>(
    `insert into dlq_runs (trigger, selected) values ('replay', $1) returning id::text`,
    [events],
  );
  await sql(
    `insert into dlq_run_events (run_id, event_id, position, failure_count, status)
     select $1, id, row_number() over (order by id), failure_count, status from dlq_events`,
    [runId],
  );
  await vacuumEvents({ sql });
  const isOrdered = routesOf(shape, 1, 'http://shop')[0]?.ordered;
  const lanes = (await listLanes(db)).slice(0, picked).map(({ lane }) => lane);
  const first = await sql<{ id: string }>('select id::text from dlq_events order by id limit $1', [picked]);
  const groups = lanes.map((lane) => {
    return { lane, priority: 0, retryAfter: '-infinity', id: '0', isOrdered, rules: null };
  });
  const max = Math.ceil(picked / lanes.length);
  return {
    'walk-lanes': { lane: '-9223372036854775808', priority: -32_768, max: picked, dueAt },
    'pick-due': { groups, max, dueAt },
    'pick-run': { runId, after: 0, max: picked, hasOrdered: isOrdered },
    'lease-events': {
      ...{ runId, leaseToken, leaseSeconds: 60, upTo: null, dueAt },
      events: first.map(({ id }) => ({ id, isOrdered })),
    },
    'settle-events': { runId, settlements: first.map(({ id }) => aSettlement(id, leaseToken)) },
  };
}
