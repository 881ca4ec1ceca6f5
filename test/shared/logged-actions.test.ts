import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeGroups } from '../../shared/groups/change-groups.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { changeRun } from '../../shared/replay/run.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { readLog } from '../support/log-lines.ts';
import { aRouteTo } from '../support/routes.ts';
import { aRun } from '../support/runs.ts';

describe('the log', () => {
  const database = useDatabase();
  const label = (line: Record<string, unknown> | undefined) => line?.['logging.googleapis.com/labels'];

  it('has a line for each created and each changed replay', async () => {
    const { db } = database();
    await anEvent(database());
    let runId = '';
    const [created] = await readLog(async () => {
      ({ id: runId } = await aRun({ db, routes: [aRouteTo('http://shop.example/')] }));
    });
    assert.deepEqual([label(created), created?.runId], [{ action: 'create-run' }, runId]);

    const pause = () => changeRun(db, 'pause', { runId, actor: 'ada', reason: null });
    const [paused] = await readLog(pause);
    assert.deepEqual([label(paused), paused?.runId], [{ action: 'pause-run' }, runId]);
    assert.deepEqual(await readLog(pause), []);
  });

  it('has a line for each change of an error group', async () => {
    const { db } = database();
    await anEvent(database());
    const [group] = await database().sql<{ fingerprint: string }>('select fingerprint from dlq_events');
    const fingerprint = String(group?.fingerprint);
    await refresh(db);
    const [line] = await readLog(() => changeGroups(db, [fingerprint], { actor: 'ada', state: 'RESOLVED' }));
    assert.deepEqual(
      [label(line), line?.fingerprint, line?.state],
      [{ action: 'group' }, fingerprint, 'RESOLVED'],
    );
  });
});
