import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useApi } from '../../support/api.ts';
import { type Answer, useCommandLine } from '../../support/cli/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

type Run = {
  readonly id: string;
  readonly reason: string;
  readonly state: string;
  readonly rollout: object;
  readonly progress: { readonly selected: number };
};

describe('dlo replay', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const deps = {
    retry: retryConfig(),
    get routes() {
      return [aRouteTo(target().url, { match: { eventType: 'order.*' } })];
    },
  };
  const api = useApi(database, deps);
  const dlo = useCommandLine(() => api().url);
  const listRuns = async () => (await api().get<{ items: readonly Run[] }>('/runs')).body.items;
  const work = (id: string) =>
    workOnReplay({ ...deps, db: database().db }, id, { endsAt: Date.now() + 60_000 });
  const aFailure = () => anEvent(database(), { event_type: 'order.created', error_reason: 'no stock' });
  const yes = (to: RegExp): Answer => ({ to, keys: 'y' });

  it('shows a preview, and replays after the reason and a yes', async () => {
    await database().clear();
    await Promise.all([aFailure(), aFailure()]);
    const why: Answer = { to: /Why\?/, keys: 'in stock again\r' };
    const args = ['replay', 'type:order.*', '--pace', 'careful', '--detach'];
    const { stdout, exitCode } = await dlo(args, { columns: 80, answers: [why, yes(/Replay 2 events\?/)] });
    assert.match(
      stdout,
      /2 events.* to replay.*\n.*\n +2 {2}target {2}http:.*\n +2 {2}type {4}order\.created/,
    );
    // A target that nothing was sent to yet takes what comes.
    assert.doesNotMatch(stdout, /unused/);
    assert.equal(exitCode, 0);
    const [run] = await listRuns();
    assert.deepEqual([run?.reason, run?.progress.selected], ['in stock again', 2]);
    const { rollout } = (await api().get<Run>(`/runs/${run?.id}`)).body;
    assert.deepEqual(rollout, {
      pace: 'careful',
      waitForTarget: false,
      toHeldTargets: false,
    });
  });

  it('changes nothing after a no', async () => {
    await database().clear();
    await aFailure();
    const answers = [{ to: /Replay 1 event\?/, keys: 'n' }];
    const ran = await dlo(['replay', 'type:order.*', '--reason', 'x'], { columns: 80, answers });
    assert.equal(ran.exitCode, 130);
    assert.match(ran.stderr, /Nothing was changed\.\n$/);
    assert.deepEqual(await listRuns(), []);
  });

  it('previews again and asks again if its events have changed since', async () => {
    await database().clear();
    const [id] = [await aFailure(), await aFailure()];
    const discard = () => api().post('/events/discard', { filter: { ids: [id] }, reason: 'x' });
    const answers = [{ ...yes(/Replay 2 events\?/), before: discard }, yes(/Replay 1 event\?/)];
    const args = ['replay', 'type:order.*', '--reason', 'x', '--detach'];
    assert.equal((await dlo(args, { columns: 80, answers })).exitCode, 0);
    assert.equal((await listRuns())[0]?.progress.selected, 1);
  });

  it('asks in a terminal alone: elsewhere --yes and --reason have to answer', async () => {
    await database().clear();
    await aFailure();
    for (const [missing, args] of Object.entries({ '--reason': ['--yes'], '--yes': ['--reason', 'x'] })) {
      const { exitCode, stderr } = await dlo(['replay', 'type:order.*', ...args]);
      assert.equal(exitCode, 2);
      assert.match(stderr, new RegExp(`Add ${missing}`));
    }
    assert.deepEqual(await listRuns(), []);
  });

  it('returns the preview alone as JSON for a dry run', async () => {
    await database().clear();
    await aFailure();
    const { stdout } = await dlo(['replay', 'type:order.*', '--dry-run']);
    assert.equal(JSON.parse(stdout).selected, 1);
    assert.deepEqual(await listRuns(), []);
  });

  it('names the events that no route matches, and its exit code says that they are left out', async () => {
    await database().clear();
    await anEvent(database(), { event_type: 'order.created' });
    await anEvent(database(), { event_type: 'lost.parcel' });
    const replay = async (filter: string) =>
      await dlo(['replay', filter, '--yes', '--reason', 'x', '--pace', 'ungated']);
    const none = await replay('type:lost.*');
    assert.equal(none.exitCode, 4);
    assert.match(none.stderr, /^1 event excluded: No route matches it.*\nThere is nothing to replay\.\n$/);
    assert.equal((await replay('type:none.*')).exitCode, 0);
  });

  it('ends with its replay, and its exit code tells a failure from a success', async () => {
    await database().clear();
    await aFailure();
    const replay = async () => {
      const args = ['replay', 'type:order.*', '--yes', '--reason', 'x', '--detach', '--pace', 'ungated'];
      const { id } = JSON.parse((await dlo(args)).stdout);
      await work(id);
      return dlo(['watch', id]);
    };
    target().answer = (_, response) => response.writeHead(422).end('no such order');
    const failed = await replay();
    assert.equal(failed.exitCode, 4);
    assert.match(failed.stderr, /^Replay \d+ ended: all done\. 0 delivered, 1 failed\.\n$/);
    target().answer = (_, response) => response.writeHead(204).end();
    const delivered = await replay();
    assert.equal(delivered.exitCode, 0);
    assert.equal(JSON.parse(delivered.stdout).progress.delivered, 1);
  });

  it('shows no control character of an answer or a reason', async () => {
    await database().clear();
    await aFailure();
    target().answer = (_, response) => response.writeHead(422).end('no\x1b[2J \u202eorder');
    const args = ['replay', 'type:order.*', '--yes', '--reason', 'x', '--detach', '--pace', 'ungated'];
    const { id } = JSON.parse((await dlo(args)).stdout);
    await work(id);
    const { stdout, stderr } = await dlo(['watch', id, '--no-json']);
    assert.match(stdout, /1 event failed: .*no \[2J +order/);
    assert.doesNotMatch((stdout + stderr).replaceAll('\n', ''), /\p{Cc}|\p{Cf}/u);
    await api().post(`/targets/${encodeURIComponent(target().url)}/hold`, { reason: 'a\x1b[2Jb' });
    const preview = await dlo(['replay', 'type:order.*', '--dry-run', '--no-json']);
    assert.match(preview.stdout, /held, a \[2Jb/);
  });

  it('asks after its canary whether it goes on', async () => {
    await database().clear();
    await Promise.all([aFailure(), aFailure()]);
    const args = ['replay', 'type:order.*', '--yes', '--reason', 'x', '--detach', '--pace', 'careful'];
    const { id } = JSON.parse((await dlo(args)).stdout);
    await work(id);
    const watched = dlo(['watch', id], { columns: 80, answers: [yes(/Go on with the other 1 event\?/)] });
    const isPaused = async () => (await api().get<Run>(`/runs/${id}`)).body.state === 'paused';
    await waitUntil('the replay goes on', async () => !(await isPaused()));
    await work(id);
    assert.equal((await watched).exitCode, 0);
    assert.equal(target().received.length, 2);
  });
});
