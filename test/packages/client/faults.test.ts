import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type DeadLetters, deadLetters, type MessageFacts } from '../../../packages/client/client.ts';
import type { Options } from '../../../packages/client/options.ts';
import { useCapture } from '../../support/capture.ts';
import { type Fault, useCaptureFront } from '../../support/client/capture-front.ts';
import { useDatabase } from '../../support/database.ts';
import { findFreePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

type Wrapped = DeadLetters<(handler: (id: string) => void) => (id: string) => Promise<void>>;
const ids = ['m-1', 'm-2', 'm-3'];

describe('a failure that the client reports', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const front = useCaptureFront(() => capture().url);
  const opened: { close(): Promise<void> }[] = [];
  let folder = '';

  beforeEach(async () => {
    await database().clear();
    folder = await mkdtemp(path.join(tmpdir(), 'dlo-client-'));
  });
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
    await rm(folder, { recursive: true });
  });

  const open = (options: Partial<Options> = {}): Wrapped => {
    const read = (id: string): MessageFacts => ({ body: id, eventId: id, source: { kind: 'test' } });
    const quick = { timeoutMs: 60_000, attempts: 2, warn: () => {} };
    const client = deadLetters({
      capture: front().url,
      consumer: 'billing',
      from: read,
      ...quick,
      ...options,
    });
    opened.push(client);
    return client;
  };
  /** A broker that delivers each message until its consumer settles it. Returns how often it delivered. */
  const consume = async ({ wrap }: Wrapped) => {
    const handle = wrap((id) => {
      throw new Error(`no stock for ${id}`);
    });
    let deliveries = 0;
    for (const id of ids) {
      for (let isSettled = false; !isSettled; deliveries++) {
        isSettled = await handle(id).then(
          () => true,
          () => false,
        );
      }
    }
    return deliveries;
  };
  /** Messages without an event, and events or failures beyond the first of a message. */
  const count = async () => {
    const rows = await database().sql<{ event_id: string; failures: number }>(
      'select event_id, failure_count::int as failures from dlq_events',
    );
    const lost = ids.filter((id) => !rows.some(({ event_id }) => event_id === id)).length;
    const failures = rows.reduce((total, row) => total + row.failures, 0);
    return { lost, doubled: rows.length - (ids.length - lost) + failures - rows.length };
  };
  const none = { lost: 0, doubled: 0 };

  const rows: readonly [name: string, faults: readonly Fault[], deliveries: number][] = [
    ['no fault', [], 3],
    ['a connection that breaks before capture has the report', ['unsent'], 3],
    ['a connection that breaks after capture stored the report', ['unanswered'], 3],
    ['no answer within the timeout', ['silent'], 3],
    ['an answer 500', [500], 3],
    ['an answer 503', [503], 3],
    ['an answer 429', [429], 3],
    ['an answer 401, such as for an expired token', [401], 3],
    ['an answer 200 of another program', ['foreign'], 3],
    ['a redirect, which is not followed', [302], 3],
    ['an outage that outlasts the attempts', ['unsent', 503], 4],
    ['an outage in which capture stored the report', ['unanswered', 'unsent'], 4],
    ['an answer 413, which is not tried again', [413], 4],
  ];
  for (const [name, faults, deliveries] of rows) {
    it(`is neither lost nor doubled by ${name}`, async () => {
      front().faults.push(...faults);
      // Only who gets no answer waits so long.
      const timeoutMs = faults.includes('silent') ? 10_000 : 60_000;
      assert.equal(await consume(open({ timeoutMs })), deliveries);
      assert.deepEqual(await count(), none);
      const keys = front().received.map((headers) => headers['idempotency-key']);
      assert.equal(new Set(keys).size, deliveries, 'each failure has one key');
    });
  }

  it('is reported, spooled or left to its broker by a logger that throws, too', async () => {
    const warn = () => {
      throw new Error('The logger is closed.');
    };
    const down = { capture: `http://127.0.0.1:${await findFreePort()}/`, attempts: 1, warn };
    const { wrap } = open(down);
    const fail = () => {
      throw new Error('no stock');
    };
    await assert.rejects(wrap(fail)('m-1'), /no stock/);
    await open({ ...down, spool: { folder } }).wrap(fail)('m-2');
    const spooled = (await readdir(folder)).filter((name) => name.endsWith('.report'));
    assert.equal(spooled.length, 1);
    await open({ warn, spool: { folder } }).flush();
    assert.deepEqual(await database().sql('select event_id from dlq_events'), [{ event_id: 'm-2' }]);
  });

  it('is neither lost nor doubled by a broker that delivers each message twice', async () => {
    const client = open();
    await consume(client);
    await consume(client);
    assert.deepEqual(await count(), none);
  });

  describe('with a spool', () => {
    const isStored = async () => (await count()).lost === 0;

    it('waits on disk during an outage, and is sent in order after it', async () => {
      front().faults.push(...Array<Fault>(6).fill('unsent'));
      const client = open({ spool: { folder: path.join(folder, 'spool') } });
      assert.equal(await consume(client), 3);
      await waitUntil('the spool is sent', isStored);
      assert.deepEqual(await count(), none);
      const stored = await database().sql<{ event_id: string }>(
        'select event_id from dlq_events order by id',
      );
      assert.deepEqual(
        stored.map((row) => row.event_id),
        ids,
      );
    });

    it('is known as a repetition after an outage in which capture stored it', async () => {
      front().faults.push('unanswered', 'unanswered', 'unanswered');
      assert.equal(await consume(open({ spool: { folder } })), 3);
      await waitUntil('the spool is sent', isStored);
      await waitUntil('the report was repeated', () => front().received.length >= 6);
      assert.deepEqual(await count(), none);
    });

    it('stays with its broker if the spool is full', async () => {
      front().faults.push('unsent', 'unsent');
      assert.equal(await consume(open({ spool: { folder, maxBytes: 100 } })), 4);
      assert.deepEqual(await count(), none);
    });

    it('stays with its broker if the spool cannot be written', async () => {
      await writeFile(path.join(folder, 'file'), '');
      front().faults.push('unsent', 'unsent');
      assert.equal(await consume(open({ spool: { folder: path.join(folder, 'file/spool') } })), 4);
      assert.deepEqual(await count(), none);
    });

    it('is set aside on disk if capture refuses it, and does not hold up the others', async () => {
      front().faults.push('unsent', 'unsent', 413);
      const warnings: string[] = [];
      const client = open({ spool: { folder }, warn: (text) => warnings.push(text) });
      assert.equal(await consume(client), 3);
      await client.flush();
      await waitUntil('the others are stored', async () => (await count()).lost === 1);
      await waitUntil('the refusal is reported', () => warnings.some((text) => /is set aside as/.test(text)));
    });
  });
});
