import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { steps } from '../../../functions/maintain/jobs.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { retention } from '../../support/retention.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('the job replays of maintain', () => {
  const database = useDatabase();
  const pubsub = usePubSubTarget();
  beforeEach(() => database().clear());
  const routes = [aRouteTo('http://localhost:1/orders')];
  const run = async () => {
    const retry = { ...retryConfig(), continueTopic: pubsub().topic };
    const { request } = steps.replays;
    return (await request?.({ db: database().db, routes, retry, retention }, Number.POSITIVE_INFINITY))
      ?.requested;
  };
  const aReplay = async (startAt?: string) => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const deps = { db: database().db, routes, retry: retryConfig() };
    return aRun(deps, startAt === undefined ? {} : { startAt });
  };
  const requested = () =>
    pubsub()
      .messages()
      .map(({ data }) => JSON.parse(data.toString()).runId);

  it('requests a worker for a replay as soon as its time has come', async () => {
    const { id } = await aReplay(new Date(Date.now() + 3_600_000).toISOString());
    assert.equal(await run(), 0);
    await database().sql(`update dlq_runs set rollout = jsonb_build_object('startAt', now())`);
    assert.equal(await run(), 1);
    assert.equal(requested().at(-1), id);
  });

  it('requests none for a replay that is paused', async () => {
    const { id: runId } = await aReplay();
    await changeRun(database().db, 'pause', { runId, actor: 'ada', reason: null });
    assert.equal(await run(), 0);
  });
});
