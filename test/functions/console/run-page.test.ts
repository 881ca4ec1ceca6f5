import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('the page of a replay', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [aRouteTo('http://127.0.0.1:1/')];
  const served = useConsole(database, { routes });
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const work = (runId: string) => workOnReplay(deps(), runId, { endsAt: Date.now() + 60_000 });
  const replayHalf = async (body = {}) => {
    await manyEvents(database(), 4);
    const run = await aRun(deps(), body);
    target().answer = (_, response) =>
      response.writeHead(target().received.length % 2 ? 200 : 422).end('bad');
    await work(run.id);
    return run.id;
  };
  beforeEach(async () => {
    served().caller = operator;
    await database().clear('dlq_events', 'dlq_attempts', 'dlq_runs', 'dlq_run_workers', 'dlq_run_events');
  });

  it('groups the answers of the target, and lists failures first', async () => {
    const page = await read(`runs/${await replayHalf()}`);
    assert.match(page, /permanent<\/span>.*<b>422<\/b>.*<b>200<\/b>/s);
    const outcomes = [
      ...page.matchAll(/<\/svg>(failed|delivered)<\/span><\/td><td class=""><div class="event-cell">/g),
    ];
    assert.deepEqual(
      outcomes.map(([, outcome]) => outcome),
      ['failed', 'failed', 'delivered', 'delivered'],
    );
  });

  it('shows of different answers with one status that of the event which it names', async () => {
    await manyEvents(database(), 3);
    const run = await aRun(deps());
    target().answer = (request, response) =>
      response.writeHead(422).end(`order ${JSON.parse(String(request.body)).n} is closed`);
    await work(run.id);
    const page = await read(`runs/${run.id}`);
    const [, id, answer] = /such as event (\d+)<\/a><span[^>]*>: ([^<]*)</.exec(page) ?? [];
    const [row] = await database().sql<{ answer: string }>('select answer from dlq_events where id = $1', [
      id,
    ]);
    assert.equal(`HTTP 422: ${answer}`, row?.answer);
  });

  it('does not call an event delivered that it skipped, as it was delivered before', async () => {
    await manyEvents(database(), 2);
    const run = await aRun(deps());
    await database().sql(
      "update dlq_events set status = 'SUCCEEDED', processed_at = now() where id in (select min(id) from dlq_events)",
    );
    await work(run.id);
    const [, answers = ''] = /id="answers">(.*?)<\/section>/s.exec(await read(`runs/${run.id}`)) ?? [];
    const marks = [...answers.matchAll(/<\/svg>([^<]*)<\/span>/g)].map(([, word]) => word);
    assert.deepEqual(marks.toSorted(), ['delivered', 'skipped']);
  });

  it('folds events that ended alike', async () => {
    await manyEvents(database(), 12);
    const run = await aRun(deps(), {});
    target().answer = (request, response) =>
      response.writeHead(422).end(JSON.parse(String(request.body)).n === 1 ? 'closed' : 'no such order');
    await work(run.id);
    const page = await read(`runs/${run.id}`);
    assert.equal(page.split('class="title" href="events/').length - 1, 12);
    assert.match(page, /<td><label><input[^>]*> 10 more like this/);
  });

  it('of an ended replay leads to one of the failed events, at the same pace', async () => {
    const id = await replayHalf({ pace: 'gentle' });
    const page = await read(`runs/${id}`);
    const [, link = ''] =
      /href="(runs\/new\?[^"]*)">(?:(?!<\/a>).)*Replay the failed \(2\)/s.exec(
        page.replaceAll('&amp;', '&'),
      ) ?? [];
    assert.equal(new URLSearchParams(link.split('?')[1]).get('q'), `run:${id}/failed`);
    assert.doesNotMatch(page, /Replay the rest/);
    const preview = await read(link);
    assert.match(preview, /Replay 2 events/);
    assert.match(preview, /value="gentle" checked/);

    served().caller = viewer;
    assert.doesNotMatch(await read(`runs/${id}`), /Replay the failed/);
  });

  it('of a cancelled replay leads to one of the events that were not sent', async () => {
    await manyEvents(database(), 3);
    const { id } = await aRun(deps());
    await changeRun(database().db, 'cancel', { runId: id, actor: 'ada', reason: 'a test' });
    const page = await read(`runs/${id}`);
    assert.match(page, /Not sent.*>3</s);
    assert.match(page, /Replay the rest \(3\)/);
    assert.match(await read('runs'), /0 of 3 delivered, 3 not sent/);
    assert.match(await read(`runs/new?q=run:${id}/waiting`), /Replay 3 events/);
  });

  it('says since when a running replay makes no progress, and why', async () => {
    await manyEvents(database(), 3);
    const { id } = await aRun(deps());
    assert.doesNotMatch(await read(`runs/${id}`), /No progress/);
    await database().sql(`update dlq_runs set stage_began_at = now() - interval '31 seconds'`);
    assert.match(await read(`runs/${id}`), /No progress<\/b>, the latest .*31 s ago.*No worker/s);
    await database().sql(`update dlq_run_events set is_leased = true where position = 1`);
    assert.match(await read(`runs/${id}`), /1 delivery has begun and got no answer yet/);
  });
});
