import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { changeRun } from '../../../shared/replay/change-run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('an edited event in the console', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [
    { ...aRouteTo('http://masked/', { match: { eventType: 'masked' } }), mask: ['$.card'] },
    aRouteTo('http://shop/'),
  ];
  const served = useConsole(database, { routes });
  const get = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  let id = '';
  let runId = '';
  const replay = async (body: object) => {
    const run = await aRun(deps(), { filter: { ids: [id] }, reason: 'wrong decimal comma', ...body });
    await workOnReplay(deps(), run.id, { endsAt: Date.now() + 60_000 });
    return run.id;
  };
  before(async () => {
    target().answer = (_, response) => response.writeHead(503).end();
    id = await anEvent(database(), {
      body: Buffer.from('{"amount":"-12,50"}'),
      payload: '{"amount":"-12,50"}',
    });
    runId = await replay({ edit: { body: '{"amount":"12.50"}' } });
  });
  beforeEach(() => {
    served().caller = operator;
  });

  it('has on its page who edited it and why, the difference, the failure, and both ways on', async () => {
    const page = await get(`events/${id}`);
    for (const words of [
      '<strong>ada</strong> edited it',
      'wrong decimal comma',
      'The edited message failed: HTTP 503',
      '-12,50',
      '12.50',
      `href="events/${id}/edit?run=${runId}"`,
      `href="events/reopen?q=id:${id}"`,
    ]) {
      assert.ok(page.includes(words), words);
    }
  });

  it('is marked in the timeline, with a link to the difference, and in the list', async () => {
    const badge = '<span class="badge">edited</span>';
    const page = await get(`events/${id}`);
    const [, history = ''] = page.split('id="history"');
    assert.ok(history.includes(`${badge} <a href="runs/${runId}/events/${id}">`));
    assert.ok((await get(`events?q=id:${id}`)).includes(badge));
  });

  it('has a page with the difference in its run, whose own page says that it is edited', async () => {
    const difference = await get(`runs/${runId}/events/${id}`);
    assert.match(difference, /class="frame removed".*-12,50/s);
    assert.match(difference, /class="frame added".*12\.50/s);
    assert.match(await get(`runs/${runId}`), /edited<\/span> <strong>ada<\/strong> edited the message\./);
    assert.equal((await fetch(`${served().url}/runs/${runId}/events/4711`)).status, 404);
  });

  it('is edited again from the message that failed', async () => {
    assert.match(await get(`events/${id}/edit?run=${runId}`), /&quot;amount&quot;: &quot;12\.50&quot;/);
    assert.match(await get(`events/${id}/edit`), /&quot;amount&quot;: &quot;-12,50&quot;/);
  });

  it('has no way on for a viewer', async () => {
    served().caller = viewer;
    const page = await get(`events/${id}`);
    assert.ok(page.includes('edited it') && !page.includes('/edit?run='));
  });

  it('says while it waits in its run that the schedule does not send it', async () => {
    const waiting = await anEvent(database());
    const run = await aRun(deps(), { filter: { ids: [waiting] }, edit: { body: '{}' } });
    await changeRun(database().db, 'pause', { runId: run.id, actor: 'ada', reason: null });
    const page = await get(`events/${waiting}`);
    assert.ok(
      page.includes('It waits in the run, which is paused') &&
        page.includes('waits in a replay that sends it edited'),
    );
    const runPage = await get(`runs/${run.id}`);
    assert.match(runPage, /they return to the schedule with their captured messages/);
    assert.match(runPage, /name="reason"[^>]* required/);
    assert.match(runPage, /value="resume" formnovalidate/);
  });

  it('shows no masked value before or after the edit', async () => {
    const masked = await anEvent(database(), {
      event_type: 'masked',
      body: Buffer.from('{"card":"4111","total":1}'),
      payload: '{"card":"4111","total":1}',
    });
    const run = await aRun(deps(), {
      filter: { ids: [masked] },
      edit: { body: '{"card":"4222","total":2}' },
    });
    for (const path of [`events/${masked}`, `runs/${run.id}/events/${masked}`]) {
      const page = await get(path);
      assert.deepEqual(
        [page.includes('4111'), page.includes('4222'), page.includes('hidden')],
        [false, false, true],
      );
      assert.match(page, /class="frame added"/);
    }
  });
});
