import { PgBoss } from 'pg-boss';
import { inBatches, inParallel, type System } from '../system.ts';

const queue = 'deliver';

export const pgBoss: System = {
  name: 'pg-boss 12',
  keeps: 'the message as JSON, the state of the job',
  tables: ['pgboss.job_common'],
  install: (url) => withBoss(url, (boss) => boss.createQueue(queue)),
  capture: (url, messages) =>
    withBoss(url, (boss) =>
      inParallel(inBatches(messages, 500), 4, (batch) =>
        boss.insert(
          queue,
          batch.map((message) => ({ data: JSON.parse(message) })),
        ),
      ),
    ),
  drains: {
    'batches of 50': (url) => drain(url, { batchSize: 50, workers: 1 }),
    '4 workers, batches of 2,000': (url) => drain(url, { batchSize: 2000, workers: 4 }),
  },
  count: {
    stored: `select count(*) from pgboss.job where name = '${queue}'`,
    left: `select count(*) from pgboss.job where name = '${queue}' and state <> 'completed'`,
  },
};

async function withBoss(url: string, use: (boss: PgBoss) => Promise<unknown>): Promise<void> {
  const boss = new PgBoss({ connectionString: url, max: 4, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  try {
    await use(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** Its fetch and complete, without the pauses of its polling worker. */
async function drain(
  url: string,
  { batchSize, workers }: { batchSize: number; workers: number },
): Promise<void> {
  await withBoss(url, async (boss) => {
    const work = async () => {
      for (;;) {
        const jobs = await boss.fetch(queue, { batchSize });
        if (jobs.length === 0) return;
        await boss.complete(
          queue,
          jobs.map(({ id }) => id),
        );
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  });
}
