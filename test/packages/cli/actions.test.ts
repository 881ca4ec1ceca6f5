import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useApi } from '../../support/api.ts';
import { useCommandLine } from '../../support/cli/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the actions of dlo', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const api = useApi(database, {
    get routes() {
      return [aRouteTo(target().url)];
    },
  });
  const dlo = useCommandLine(() => api().url);
  const stateOf = async () => JSON.parse((await dlo(['targets'])).stdout).state;
  const why = ['--reason', 'a test'];

  it('hold a target and release it', async () => {
    const { stdout } = await dlo(['hold', target().url, ...why, '--no-json']);
    assert.match(stdout, /is held\. Release it again: dlo release http/);
    assert.equal(await stateOf(), 'held');
    assert.equal((await dlo(['release', target().url, ...why])).exitCode, 0);
    assert.notEqual(await stateOf(), 'held');
  });

  it('hold a target for a length of time from now', async () => {
    const began = Date.now();
    const { stdout } = await dlo(['hold', target().url, ...why, '--until', '2h']);
    const { heldUntil } = JSON.parse(stdout);
    assert.ok(Date.parse(heldUntil) >= began + 2 * 3_600_000, heldUntil);
    assert.equal((await dlo(['release', target().url, ...why])).exitCode, 0);
  });

  it('stop all deliveries after a yes, and take that back', async () => {
    const answers = [{ to: /Hold every target/, keys: 'y' }];
    const { stdout } = await dlo(['stop', ...why], { columns: 80, answers });
    assert.equal(await stateOf(), 'held');
    const [, id = ''] = /dlo undo (\d+)/.exec(stdout) ?? [];
    assert.equal((await dlo(['undo', id, ...why])).exitCode, 0);
    assert.notEqual(await stateOf(), 'held');
  });

  it('pause, resume and cancel a replay', async () => {
    await anEvent(database());
    const replay = ['replay', 'status:PENDING', '--yes', '--detach', ...why];
    const { id } = JSON.parse((await dlo(replay)).stdout);
    for (const [action, state] of Object.entries({ pause: 'paused', resume: 'running', cancel: 'ended' })) {
      assert.equal(JSON.parse((await dlo([action, id, ...why])).stdout).state, state);
    }
  });

  it('say how many events an undo has returned, and why it left the others', async () => {
    const ids = [await anEvent(database()), await anEvent(database())];
    const discarded = { filter: { ids }, reason: 'a test' };
    const { body } = await api().post<{ auditId: string }>('/events/discard', discarded);
    await api().post('/events/reopen', { filter: { ids: ids.slice(1) }, reason: 'a test' });
    const undo = ['undo', body.auditId, ...why, '--no-json'];
    const preview = await dlo(['undo', body.auditId, '--dry-run', '--no-json']);
    const said = 'To be undone: 1 event. Left as they are: 1 changed.\n';
    assert.deepEqual(preview, { exitCode: 0, stdout: said, stderr: '' });
    const first = await dlo(undo);
    assert.deepEqual(first, {
      exitCode: 4,
      stdout: 'Undone: 1 event. Left as they are: 1 changed.\n',
      stderr: '',
    });
    const again = await dlo(undo);
    assert.match(again.stdout, /^Nothing was undone\. Left as they are: 1 \w+, 1 \w+\.\n$/);
  });

  it('list more targets than it counts, and a replay as scheduled until it begins', async () => {
    await manyEvents(database(), 10_001);
    const { stdout } = await dlo(['targets', '--no-json']);
    assert.match(stdout, / 10,\d+\+\n/);
    await dlo(['hold', target().url, ...why]);
    assert.match((await dlo(['targets', '--no-json'])).stdout, / 10,\d+ +0\n/);
    await dlo(['release', target().url, ...why]);
    const later = [
      'replay',
      'status:PENDING',
      '--yes',
      '--detach',
      '--start-at',
      '2999-01-01T00:00:00Z',
      ...why,
    ];
    assert.match(
      (await dlo([...later, '--no-json'])).stdout,
      /^Replay \d+ is scheduled\. Watch it: dlo watch \d+\n$/m,
    );
  });

  it('report what the API rejects with the field, the value and the remedy', async () => {
    const { exitCode, stderr } = await dlo(['replay', 'id:1', '--yes', ...why, '--rate-per-second', '0']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^The request is invalid\..*\n {2}ratePerSecond = 0: .+\n$/);
  });
});
