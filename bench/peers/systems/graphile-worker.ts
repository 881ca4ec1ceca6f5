import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils, type RunnerOptions, run } from 'graphile-worker';
import pg from 'pg';
import { inBatches, inParallel, type System } from '../system.ts';

const silent = () => () => {};

export const graphileWorker: System = {
  name: 'graphile-worker 0.18',
  keeps: 'the message as JSON; a finished job is deleted',
  tables: ['graphile_worker._private_jobs'],
  install: (url) => withUtils(url, (utils) => utils.migrate()),
  capture: (url, messages) =>
    withUtils(url, (utils) =>
      inParallel(inBatches(messages, 500), 4, (batch) =>
        utils.addJobs(batch.map((message) => ({ identifier: 'deliver', payload: JSON.parse(message) }))),
      ),
    ),
  drains: {
    'one at a time (default)': (url) => drain({ connectionString: url }),
    'concurrency 24, local queue of 1,000': (url) =>
      drain({
        connectionString: url,
        maxPoolSize: 12,
        concurrency: 24,
        preset: {
          worker: {
            concurrentJobs: 24,
            localQueue: { size: 1000 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      }),
  },
  count: {
    stored: 'select count(*) from graphile_worker._private_jobs',
    left: 'select count(*) from graphile_worker._private_jobs',
  },
};

async function withUtils(
  url: string,
  use: (utils: Awaited<ReturnType<typeof makeWorkerUtils>>) => Promise<unknown>,
): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 4 });
  try {
    await use(utils);
  } finally {
    await utils.release();
  }
}

async function drain(options: RunnerOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.connectionString });
  await client.connect();
  const { Logger } = await import('graphile-worker');
  const runner = await run({
    ...options,
    noHandleSignals: true,
    logger: new Logger(silent),
    taskList: { deliver: async () => {} },
  });
  const isEmpty = async () =>
    (await client.query('select from graphile_worker._private_jobs limit 1')).rowCount === 0;
  while (!(await isEmpty())) await sleep(20);
  await runner.stop();
  await client.end();
}
