import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { waitFor } from '../local/service-process.ts';
import { useCaptureGate } from '../support/capture-gate.ts';
import { useDatabase } from '../support/database.ts';
import { useFunction } from '../support/framework.ts';
import { subscriptionName, usePubSub } from '../support/pubsub/use-pubsub.ts';
import { startCommand } from '../support/run-command.ts';

const name = subscriptionName('orders-dead-pull');

describe('npm run drain', () => {
  const database = useDatabase();
  const secret = 'a secret of 16 or more';
  const capture = useFunction('capture', () => ({ DATABASE_URL: database().url, CAPTURE_SECRETS: secret }));
  const gate = useCaptureGate(() => capture());
  const running = usePubSub();

  let publish = async (_count: number) => {};

  beforeEach(async () => {
    await database().sql('truncate dlq_events');
    const [topic] = await running().client.createTopic('orders-dead');
    await topic.createSubscription('orders-dead-pull');
    publish = async (count) => {
      const data = Array.from({ length: count }, (_, n) => Buffer.from(`{"n": ${n}}`));
      await Promise.all(data.map((each) => topic.publishMessage({ data: each })));
    };
  });

  const start = () =>
    startCommand(
      ['import/run-drain.ts', '--subscription', name, '--capture', gate().url, '--idle-seconds', '0'],
      {
        env: {
          PUBSUB_EMULATOR_HOST: running().standIn.host,
          METADATA_SERVER_DETECTION: 'none',
          CAPTURE_SECRETS: secret,
        },
      },
    );
  const backlog = () => running().standIn.backlog(name);
  const countEvents = async () =>
    (await database().sql<{ count: number }>('select count(*)::int from dlq_events'))[0]?.count;

  it('moves a backlog to a capture function that requires signatures', async () => {
    await publish(3);
    const { status, stdout, stderr } = await start().ended;
    assert.deepEqual(
      { status, stdout, stderr },
      { status: 0, stdout: '3 events: 3 new, 0 known already\n', stderr: '' },
    );
    assert.deepEqual([await countEvents(), backlog().messages.length], [3, 0]);
  });

  it('finishes its batch on Ctrl-C, says what it did, and leaves the rest to the next run', async () => {
    await publish(60);
    const stopped = start();
    gate().next(async (pass, response) => {
      stopped.child.kill('SIGINT');
      response.end(await (await pass()).text());
    });
    const { status, stdout, stderr } = await stopped.ended;
    assert.equal(status, 130);
    assert.equal(stdout, '50 events: 50 new, 0 known already\n');
    assert.match(
      stderr,
      /^Stopping after this batch \.\.\.\n.*still in the subscription: run the same command again\.\n$/,
    );
    assert.deepEqual([await countEvents(), backlog().messages.length], [50, 10]);
    assert.equal((await start().ended).stdout, '10 events: 10 new, 0 known already\n');
  });

  it('loses and duplicates nothing when it is killed between storing and acknowledging', async () => {
    await publish(3);
    running().standIn.failNext('Acknowledge', { code: 'HANG' });
    const killed = start();
    await waitFor('the batch to be stored', async () => (await countEvents()) === 3);
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.equal(backlog().messages.length, 3);
    running().standIn.failNext('Acknowledge', { code: 'HANG', count: 0 });
    // Pub/Sub ends the leases of a dead receiver.
    backlog().leases.clear();

    assert.equal((await start().ended).stdout, '3 events: 0 new, 3 known already\n');
    assert.deepEqual([await countEvents(), backlog().messages.length], [3, 0]);
  });

  it('prints help, and reports all invalid arguments at once', async () => {
    const run = (...args: string[]) => startCommand(['import/run-drain.ts', ...args], { input: '' }).ended;
    const help = await run('--help');
    assert.deepEqual([help.status, help.stderr], [0, '']);
    assert.match(help.stdout, /^npm run drain -- --subscription projects\/P\/subscriptions\/S --capture URL/);
    const wrong = await run(
      '--subscription',
      'orders',
      '--as',
      'dlo',
      '--limit',
      '0',
      '--idle-seconds',
      'x',
      'more',
    );
    assert.equal(wrong.status, 1);
    for (const part of [
      'more: every',
      '--subscription orders:',
      '--as dlo:',
      '--capture (not set)',
      '--limit 0',
      '--idle-seconds x',
    ])
      assert.ok(wrong.stderr.includes(part), part);
    const unknown = await run('--dry-run');
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr, /Unknown option '--dry-run'/);
  });
});
