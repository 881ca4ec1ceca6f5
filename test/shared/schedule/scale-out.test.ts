import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TickDone } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { type ServedFunction, serveFunction } from '../../support/framework.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { pushRequests } from '../../support/pubsub/push-requests.ts';
import type { PubSubServer } from '../../support/pubsub/serve-pubsub.ts';
import { waitUntil } from '../../support/wait-until.ts';

const topic = 'projects/acme/topics/continue';

describe('the retry function with a topic for worker requests', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  let pubsub: PubSubServer;
  let retry: ServedFunction;
  before(async () => {
    pubsub = await pushRequests(async (push) => {
      await post(push).catch(() => {});
    });
    retry = await serveFunction('retry', {
      DATABASE_URL: database().url,
      ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url } }]),
      PUBSUB_EMULATOR_HOST: pubsub.host,
      CONTINUE_TOPIC: topic,
      TICK_BUDGET_SECONDS: '1',
      WORKERS: '2',
    });
  });
  after(async () => {
    await retry.stop();
    await pubsub.stop();
  });
  beforeEach(() => database().clear());
  const post = async (body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(retry.url, sent);
    return { status: response.status, tick: (await response.json()) as TickDone };
  };
  const runs = () =>
    database().sql<{ id: string; stopped: string | null; tally: TickDone['tally'] }>(
      'select * from dlq_runs',
    );

  it('delivers all due events over several workers, and requests none after the last', async () => {
    target().answer = (_, response) => setTimeout(() => response.end(), 120);
    await manyEvents(database(), 250);
    const { tick } = await post();
    assert.equal(tick.stopped, 'time budget spent');
    await waitUntil('the run is closed', async () => (await runs())[0]?.stopped !== null);
    const [run, ...others] = await runs();
    assert.deepEqual([run?.id, run?.stopped, others], [tick.runId, 'nothing due', []]);
    assert.equal(run?.tally.delivered, 250);
    assert.equal(target().received.length, 250);
  });

  for (const [what, data] of Object.entries({
    'a run that is over': JSON.stringify({ runId: '1' }),
    'no run': 'nonsense',
  })) {
    it(`acknowledges a message that names ${what}`, async () => {
      await manyEvents(database(), 10);
      const { status, tick } = await post({ message: { data: Buffer.from(data).toString('base64') } });
      assert.deepEqual([status, tick.stopped], [200, 'the run has ended, or all its slots are taken']);
      assert.deepEqual([target().received.length, await runs()], [0, []]);
    });
  }
});
