import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { type Fault, useCaptureFront } from '../../support/client/capture-front.ts';
import { useDatabase } from '../../support/database.ts';
import { useFunction } from '../../support/framework.ts';
import { readBodies } from '../../support/stored-bodies.ts';
import { kafkaClientsFolder } from '../support/cache.ts';
import { createTopics, produce, readCommitted } from '../support/kafka.ts';
import { explainMissing } from '../support/package-managers.ts';
import { startProgram, waitFor } from '../support/start-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const values = ['m-1', 'm-2', 'm-3'];
const libraries = [
  'kafkajs eachMessage',
  'kafkajs eachBatch',
  'confluent eachMessage',
  'confluent eachBatch',
  'platformatic',
];
const binary = '@confluentinc/kafka-javascript/build/Release/confluent-kafka-javascript.node';
const hasConfluent = existsSync(path.join(kafkaClientsFolder, 'node_modules', binary));

describe('the client with a real Kafka', { skip: explainMissing('maven') }, () => {
  const database = useDatabase();
  const capture = useFunction('capture', () => ({ DATABASE_URL: database().url }));
  const front = useCaptureFront(() => capture().url);
  let topic = '';
  let folder = '';

  beforeEach(async () => {
    await database().clear();
    topic = `orders-${randomUUID()}`;
    folder = await mkdtemp(path.join(process.env.DLO_TEST_FOLDER ?? '', 'spool-'));
    await createTopics([topic], 1);
    const [key, type] = [Buffer.from('A-7'), Buffer.from('order.created')];
    const headers = [['event_type', type]] as const;
    await produce(
      topic,
      values.map((value) => ({ key, value: Buffer.from(value), headers })),
    );
  });

  const start = (library: string, options: object = {}) => {
    const settings = {
      client: path.join(root, 'packages/client/client.ts'),
      ...{ library, topic, group: topic, brokers: [process.env.BOOTSTRAP], capture: front().url },
      ...options,
    };
    const command = [process.execPath, 'failing-consumer.js', JSON.stringify(settings)] as const;
    return startProgram([...command], { cwd: kafkaClientsFolder });
  };
  const waitForCommit = (program: ReturnType<typeof start>, group = topic) =>
    waitFor('every offset was committed', async () => (await readCommitted(group)) === values.length, {
      program,
    });
  const readEvents = () =>
    database().sql<{ reason: string; failures: number }>(
      'select error_reason as reason, failure_count::int as failures from dlq_events order by id',
    );
  const once = values.map((value) => ({ reason: `no stock for ${value}`, failures: 1 }));

  it('leaves to the broker what a full disk does not take, and spools the others', async (context) => {
    // A page for each of two reports.
    const mount = ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', folder];
    if (spawnSync('mount', mount).status !== 0) return context.skip('Only root can mount a small disk.');
    context.after(() => spawnSync('umount', [folder]));
    front().faults.push(...Array<Fault>(1000).fill('unsent'));
    const program = start('kafkajs eachMessage', { spool: { folder } });
    context.after(program.stop);
    const isRedelivered = () => program.output().split('handles m-3').length > 2;
    await waitFor('the broker delivered the third message again', isRedelivered, { program });
    assert.match(program.output(), /The spool \/.* cannot be written: ENOSPC/);
    assert.equal(await readCommitted(topic), 2);
    front().faults.length = 0;
    await waitForCommit(program);
    await waitFor('the spool was sent', async () => (await readdir(folder)).length === 0, { program });
    assert.deepEqual(await readEvents(), once);
  });

  for (const library of libraries) {
    const skip = !hasConfluent && library.startsWith('confluent') && 'Skipped: npm found no binary of it.';
    describe(library, { skip }, () => {
      it('reports each message that fails once, and commits its offset', async (context) => {
        const program = start(library);
        context.after(program.stop);
        await waitForCommit(program);
        assert.deepEqual(await readEvents(), once);
        assert.deepEqual((await readBodies(database())).map(String), values);
        const [event] = await database().sql(
          `select event_type, source_topic, source_partition, source_offset::int, source_key,
             consumer_group, error_class from dlq_events order by id`,
        );
        assert.deepEqual(event, {
          ...{ event_type: 'order.created', source_topic: topic, source_partition: 0, source_offset: 0 },
          ...{ source_key: 'A-7', consumer_group: 'billing' },
          error_class: 'TypeError',
        });
      });

      it('spools while capture is down, and sends in order after it', async (context) => {
        front().faults.push(...Array<Fault>(1000).fill('unsent'));
        const program = start(library, { spool: { folder } });
        context.after(program.stop);
        await waitForCommit(program);
        assert.equal((await readdir(folder)).length, values.length);
        assert.deepEqual(await readEvents(), []);
        front().faults.length = 0;
        await waitFor('the spool was sent', async () => (await readdir(folder)).length === 0, { program });
        assert.deepEqual(await readEvents(), once);
      });

      it('leaves a message to the broker that neither capture nor the spool takes', async (context) => {
        front().faults.push(...Array<Fault>(1000).fill('unsent'));
        await writeFile(path.join(folder, 'file'), '');
        const program = start(library, { spool: { folder: path.join(folder, 'file/spool') } });
        context.after(program.stop);
        const isRedelivered = () => program.output().split('handles m-1').length > 2;
        await waitFor('the broker delivered the message again', isRedelivered, { program });
        assert.equal((await readCommitted(topic)) ?? 0, 0);
        front().faults.length = 0;
        await waitForCommit(program);
        assert.deepEqual(await readEvents(), once);
      });

      it('neither loses nor doubles a message if it is killed before it commits', async (context) => {
        front().faults.push('stored');
        const killed = start(library, { timeoutMs: 60_000 });
        context.after(killed.stop);
        await waitFor('capture stored the report', async () => (await readEvents()).length === 1, {
          program: killed,
        });
        await killed.stop();
        assert.equal((await readCommitted(topic)) ?? 0, 0);
        const program = start(library);
        context.after(program.stop);
        await waitForCommit(program);
        assert.deepEqual(await readEvents(), once);
      });

      it('doubles no message that is delivered again after it was committed', async (context) => {
        for (const group of [topic, `${topic}-again`]) {
          const program = start(library, { group });
          context.after(program.stop);
          await waitForCommit(program, group);
        }
        assert.equal(front().received.length, 2 * values.length);
        assert.deepEqual(await readEvents(), once);
      });
    });
  }
});
