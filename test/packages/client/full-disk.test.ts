import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { useCapture } from '../../support/capture.ts';
import { useCaptureFront } from '../../support/client/capture-front.ts';
import { startConsumer } from '../../support/client/start-consumer.ts';
import { useDatabase } from '../../support/database.ts';
import { findFreePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a consumer whose disk is full', {
  skip: process.platform === 'win32' && 'Windows has no limits of a process.',
}, () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const front = useCaptureFront(() => capture().url);

  it('leaves to its broker what the disk does not take, says so, and sends the others', async (context) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'dlo-client-'));
    context.after(() => rm(folder, { recursive: true }));
    const large = 'm-2'.padEnd(50_000, '2');
    const down = `http://127.0.0.1:${await findFreePort()}/`;
    const full = startConsumer({ capture: down, folder, ids: ['m-1', large, 'm-3'], maxFileBlocks: 16 });
    await waitUntil('each message was tried', () => full.lines().length >= 3);
    await full.kill();
    assert.deepEqual(full.lines().slice(0, 3), ['m-1', 'left', 'm-3']);
    const warning = `A failed message stays with its broker: The spool ${folder} cannot be written: EFBIG`;
    assert.ok(full.warnings().includes(warning), full.warnings());
    assert.equal((await readdir(folder)).filter((name) => name.endsWith('.report')).length, 2);
    assert.equal((await readdir(folder)).length, 2);

    const started = startConsumer({ capture: front().url, folder, ids: [large] });
    await waitUntil('the spool is sent', () => started.lines().includes('sent'));
    await started.kill();
    const events = await database().sql<{ id: string; failures: number }>(
      'select left(event_id, 3) as id, failure_count::int as failures from dlq_events order by event_id',
    );
    assert.deepEqual(
      events.map(({ id, failures }) => [id, failures]),
      ['m-1', 'm-2', 'm-3'].map((id) => [id, 1]),
    );
    assert.deepEqual(await readdir(folder), []);
  });
});
