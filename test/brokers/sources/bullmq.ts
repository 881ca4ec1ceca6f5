import { bullmqFolder } from '../support/cache.ts';
import { testQueueSource } from '../support/queue-loop.ts';
import { startProgram } from '../support/start-program.ts';
import { startRedis } from '../support/start-redis.ts';

const job = (id: string, orderId: number, attempts: number, body: string) => ({
  eventKey: `bullmq:bull:invoices/${id}/now`,
  type: 'invoice.send',
  id,
  kind: 'bullmq',
  topic: 'bull:invoices',
  queue: null,
  key: null,
  reason: `TypeError: smtp said 550 for ${orderId}`,
  class: 'TypeError',
  hasStack: true,
  attempts,
  contentType: 'application/json',
  body,
  headers: {},
});

testQueueSource('BullMQ', {
  name: 'bullmq',
  needs: ['debian'],
  start: async ({ capture, replayPort }) => {
    const env = { REDIS_PORT: `${await startRedis()}`, CAPTURE: capture, REPLAY_PORT: `${replayPort}` };
    return startProgram([process.execPath, 'failing-worker.js'], {
      cwd: bullmqFolder,
      env,
    });
  },
  paths: { 'invoice.send': 'invoice.send' },
  rows: [
    job('1', 4711, 3, '{"orderId":4711,"total":1.5,"name":"größer"}'),
    job('inv-4712', 4712, 1, '{"orderId":4712,"note":""}'),
  ],
  readMessage: ({ name, data }) => ({ name, data }),
});
