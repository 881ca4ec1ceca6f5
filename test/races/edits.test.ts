import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { undoEvents } from '../../shared/events/actions/undo-events.ts';
import { claim } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { aRouteTo } from '../support/routes.ts';
import { aRun } from '../support/runs.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('the schedule and an operator that race for an event', () => {
  const database = useDatabase();
  let first: Database;
  let second: Database;
  before(() => {
    const open = (name: string) => openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, name);
    first = open('first');
    second = open('second');
  });
  after(() => Promise.all([first.close(), second.close()]));

  const claims = async (db: Database) =>
    (await claim({ ...database(), db }, { leaseToken: randomUUID() })).map(({ id }) => id);

  /** Runs `one`, and while its transaction is open, `other`, which waits for it or passes by. */
  const race = async <One, Other>(one: () => Promise<One>, other: () => Promise<Other>) => {
    await first.query({ text: 'begin' });
    const done = await one();
    let isDone = false;
    const rival = other().finally(() => {
      isDone = true;
    });
    await waitUntil('the second statement ends or waits', async () => {
      const waits = `select from pg_stat_activity where application_name = 'second' and wait_event_type = 'Lock' and datname = current_database()`;
      return isDone || (await database().sql(waits)).length > 0;
    });
    await first.query({ text: 'commit' });
    return [done, await rival] as const;
  };
  const isMine = async (id: string) => {
    const [row] = await database().sql<{ status: string }>('select status from dlq_events where id = $1', [
      id,
    ]);
    return row?.status;
  };
  /** Returns the id of the edit; undefined if there is none to make. */
  const edit = async (db: Database, id: string) => {
    const request = { filter: { ids: [id], status: ['PENDING', 'DISCARDED'] }, edit: { body: '{}' } };
    const run = await aRun({ db, routes: [aRouteTo('http://x/')] }, request);
    const rows = await db.query<{ id: string }>({
      text: 'select event_id as id from dlq_run_events where run_id = $1',
      values: [run.id],
    });
    return rows.rows[0]?.id;
  };

  it('an edit takes the event from a claim that comes later', async () => {
    await database().clear();
    const id = await anEvent(database());
    const [, claimed] = await race(
      () => edit(first, id),
      () => claims(second),
    );
    assert.deepEqual([claimed, await isMine(id)], [[], 'DISCARDED']);
  });

  it('an edit is rejected if a claim came first', async () => {
    await database().clear();
    const id = await anEvent(database());
    const [claimed, edited] = await race(
      () => claims(first),
      () => edit(second, id).catch((error: { code: string }) => error.code),
    );
    assert.deepEqual([claimed, edited, await isMine(id)], [[id], 'CONFLICT', 'PROCESSING']);
  });

  it('of two edits of one event the first is made, and the other is rejected, then and later', async () => {
    await database().clear();
    const id = await anEvent(database());
    const codeOf = (error: { code: string }) => error.code;
    const [, other] = await race(
      () => edit(first, id),
      () => edit(second, id).catch(codeOf),
    );
    assert.deepEqual([other, await edit(first, id)], ['CONFLICT', undefined]);
    assert.equal((await database().sql('select from dlq_events')).length, 2);
    assert.equal((await database().sql("select from dlq_audit where action = 'edit'")).length, 1);
  });

  it('an undo leaves an edit that a claim has taken, and the edit it undoes is not claimed', async () => {
    for (const order of ['claim first', 'undo first']) {
      await database().clear();
      const id = await anEvent(database());
      const editId = await edit(first, id);
      const [row] = await database().sql<{ id: string }>(
        "select max(id) as id from dlq_audit where action = 'edit'",
      );
      const entry = {
        id: row?.id ?? '',
        action: 'edit',
        at: new Date(),
        target: null,
        openRunId: null,
        hasEvents: true,
      };
      const undo = (db: Database) => undoEvents(db, entry, { actor: 'ada', reason: 'a test' });
      if (order === 'claim first') {
        const [claimed, { changed, kept }] = await race(
          () => claims(first),
          () => undo(second),
        );
        assert.deepEqual([claimed, changed, kept], [[editId], 0, { leased: 1 }]);
      } else {
        const [{ changed }, claimed] = await race(
          () => undo(first),
          () => claims(second),
        );
        assert.deepEqual([changed, claimed, await isMine(id)], [1, [], 'PENDING']);
      }
    }
  });
});
