// A worker of BullMQ whose jobs fail. Posts each job to capture after its last attempt, and adds replayed ones again.
import { createServer } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

const { REDIS_PORT, REPLAY_PORT, CAPTURE } = process.env;
const connection = new Redis(Number(REDIS_PORT), '127.0.0.1', { maxRetriesPerRequest: null });
const queue = new Queue('invoices', { connection });

const worker = new Worker(
  'invoices',
  async ({ data }) => {
    throw new TypeError(`smtp said 550 for ${data.orderId}`, { cause: new Error('mailbox is full') });
  },
  { connection },
);

worker.on('failed', async (job) => {
  if (job.attemptsMade < job.opts.attempts) return;
  // The id of a job that was replayed is that of its delivery.
  const [eventId, attempt] = job.id.split('/');
  const headers = { 'content-type': 'application/json', ...(attempt && { 'dlo-event-id': eventId }) };
  await fetch(CAPTURE, { method: 'POST', headers, body: JSON.stringify(job) });
});

createServer(async (request, response) => {
  const { 'dlo-event-id': eventId, 'dlo-attempt': attempt } = request.headers;
  const data = JSON.parse(Buffer.concat(await request.toArray()).toString());
  await queue.add('invoice.send', data, { jobId: `${eventId}/${attempt}`, attempts: 1 });
  response.end();
}).listen(Number(REPLAY_PORT), '127.0.0.1');

const backoff = { type: 'fixed', delay: 100 };
await queue.add('invoice.send', { orderId: 4711, total: 1.5, name: 'größer' }, { attempts: 3, backoff });
await queue.add('invoice.send', { orderId: 4712, note: '' }, { attempts: 1, jobId: 'inv-4712' });
