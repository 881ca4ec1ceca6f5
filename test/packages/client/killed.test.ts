import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { useCapture } from '../../support/capture.ts';
import { useCaptureFront } from '../../support/client/capture-front.ts';
import { startConsumer } from '../../support/client/start-consumer.ts';
import { useDatabase } from '../../support/database.ts';
import { findFreePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

const ids = Array.from({ length: 40 }, (_, i) => `m-${i}`);

describe('a consumer that is killed', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const front = useCaptureFront(() => capture().url);
  let folder = '';
  beforeEach(async () => {
    await database().clear();
    folder = await mkdtemp(path.join(tmpdir(), 'dlo-client-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const start = (capture: string, ids: readonly string[]) => startConsumer({ capture, folder, ids });
  const readEvents = () =>
    database().sql<{ event_id: string; failures: number }>(
      'select event_id, failure_count::int as failures from dlq_events order by id',
    );

  it('loses no message that it acknowledged, and doubles none that its broker delivers again', async () => {
    const killed = start(`http://127.0.0.1:${await findFreePort()}/`, ids);
    await waitUntil('some messages are acknowledged', () => killed.lines().length >= 10);
    await killed.kill();
    const acknowledged = killed.lines();

    const started = start(front().url, ids.slice(acknowledged.length));
    await waitUntil('the next process has sent all', () => started.lines().includes('sent'));
    await started.kill();
    const events = await readEvents();
    assert.deepEqual(
      events.map(({ event_id, failures }) => [event_id, failures]),
      ids.map((id) => [id, 1]),
    );
  });

  it('sends a report again that capture stored without an answer, as the same failure', async () => {
    const down = start(`http://127.0.0.1:${await findFreePort()}/`, ['m-1']);
    await waitUntil('the message is acknowledged', () => down.lines().includes('m-1'));
    await down.kill();
    front().faults.push('stored');
    const killed = start(front().url, []);
    await waitUntil('capture has stored it', async () => (await readEvents()).length === 1);
    await killed.kill();
    assert.equal((await readdir(folder)).length, 1);

    const started = start(front().url, []);
    await waitUntil('the spool is sent', () => started.lines().includes('sent'));
    await started.kill();
    const keys = front().received.map((headers) => headers['idempotency-key']);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
    assert.deepEqual(await readEvents(), [{ event_id: 'm-1', failures: 1 }]);
    assert.deepEqual(await readdir(folder), []);
  });

  it('sets aside what is no report, and sends the others', async () => {
    await writeFile(path.join(folder, '0-broken.report'), '{"body": "cut o');
    const started = start(front().url, ['m-1']);
    await waitUntil('the report is sent', () => started.lines().includes('sent'));
    await started.kill();
    assert.deepEqual(await readdir(folder), ['0-broken.report.refused']);
    assert.equal((await readEvents()).length, 1);
  });
});
