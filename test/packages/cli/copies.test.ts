import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { openLines } from '../../../packages/cli/read-lines.ts';
import { useApi } from '../../support/api.ts';
import { useCommandLine } from '../../support/cli/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';

describe('dlo listen', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const api = useApi(database);
  const dlo = useCommandLine(() => api().url);
  const port = () => new URL(target().url).port;
  const columns = {
    event_type: 'order.created',
    body: Buffer.from([0, 255, 10]),
    headers: '{"x-tenant": "us"}',
  };

  it('delivers a copy of each new event, byte for byte, and changes nothing', async () => {
    await database().clear();
    await anEvent(database(), columns);
    const interrupt = new AbortController();
    let id = '';
    const ran = await dlo(['listen', port(), 'type:order.*', '--path', '/orders', '--no-json'], {
      signal: interrupt.signal,
      watch: (output) => {
        if (id === '' && output.includes('Copies of new events')) {
          id = 'soon';
          void anEvent(database(), columns).then((created) => {
            id = created;
          });
        }
        if (/ 200 /.test(output)) interrupt.abort();
      },
    });
    assert.equal(ran.exitCode, 0);
    const [received] = target().received;
    assert.deepEqual([target().received.length, received?.path], [1, '/orders']);
    assert.deepEqual(received?.body, columns.body);
    const names = received?.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    assert.deepEqual(names?.sort(), ['connection', 'content-length', 'content-type', 'host', 'x-tenant']);
    const [event] = await database().sql('select status, delivery_count from dlq_events where id = $1', [id]);
    assert.deepEqual(event, { status: 'PENDING', delivery_count: 0 });
  });

  it('delivers chosen events and ends, and its exit code tells of the answers', async () => {
    await database().clear();
    const id = await anEvent(database(), columns);
    await anEvent(database(), columns);
    const listen = ['listen', port(), `id:${id}`, '--existing'];
    assert.equal((await dlo(listen)).exitCode, 0);
    target().answer = (_, response) => response.writeHead(500).end();
    const failed = await dlo(listen);
    assert.equal(failed.exitCode, 4);
    assert.deepEqual([JSON.parse(failed.stdout).id, JSON.parse(failed.stdout).status], [id, 500]);
    assert.equal(target().received.length, 2);
    target().answer = (_, response) => response.writeHead(204).end();
    const large = await anEvent(database(), { body: Buffer.alloc(17 * 2 ** 20) });
    const both = await dlo(['listen', port(), `id:${id},${large}`, '--existing']);
    assert.deepEqual([both.exitCode, JSON.parse(both.stdout).id], [4, id]);
    assert.match(both.stderr, /too large to copy/);
  });
});

describe('dlo tail', () => {
  const database = useDatabase();
  const api = useApi(database);
  const dlo = useCommandLine(() => api().url);

  it('prints the latest events, and each new one', async () => {
    await database().clear();
    await anEvent(database(), { error_reason: 'before' });
    const interrupt = new AbortController();
    let isAdded = false;
    const { stdout, exitCode } = await dlo(['tail'], {
      signal: interrupt.signal,
      watch: (output) => {
        if (!isAdded) void anEvent(database(), { error_reason: 'after' });
        isAdded = true;
        if (output.includes('after')) interrupt.abort();
      },
    });
    const reasons = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).errorReason);
    assert.deepEqual(reasons, ['before', 'after']);
    assert.equal(exitCode, 0);
  });

  it('ends with its reader, such as head', async () => {
    assert.deepEqual(await dlo(['tail'], { isUnread: true }), { exitCode: 0, stdout: '', stderr: '' });
  });
});

describe('dlo import', () => {
  const database = useDatabase();
  const api = useApi(database);
  const dlo = useCommandLine(() => api().url);
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'import-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const aFailure = (n: number) =>
    JSON.stringify({
      eventType: 'order.created',
      eventId: `e-${n}`,
      payload: { n },
      error: { message: 'x' },
    });
  const count = async () => (await database().sql('select from dlq_events')).length;

  it('imports each line, lists those that it rejects, and changes nothing the second time', async () => {
    await database().clear();
    const file = path.join(folder, 'failures.ndjson');
    const lines = Array.from({ length: 600 }, (_, n) => aFailure(n));
    writeFileSync(file, [...lines.slice(0, 5), 'not JSON', '42', '', ...lines.slice(5)].join('\n'));
    const first = await dlo(['import', file], { columns: 80 });
    assert.equal(first.exitCode, 4);
    assert.match(first.stderr, /600 events imported, 0 lines known already, 2 lines rejected\.\n/);
    assert.match(first.stderr, /\n {2}line 6: .*not valid JSON.*\n {2}line 7: It is not a JSON object\.\n$/);
    const again = await dlo(['import', file]);
    assert.match(again.stderr, /0 events imported, 600 lines known already/);
    assert.equal(await count(), 600);
  });

  it('imports the text of each line as it is, and rejects a line that is not UTF-8', async () => {
    await database().clear();
    const file = path.join(folder, 'texts.ndjson');
    const lines = ['one\u2028two', 'größer', '\uFFFD'].map((text) => JSON.stringify({ text }));
    const latin = Buffer.from('{"text":"größer"}\n', 'latin1');
    writeFileSync(file, Buffer.concat([Buffer.from(`\uFEFF${lines.join('\r\n')}\n`), latin]));
    const { exitCode, stderr } = await dlo(['import', file], { columns: 80 });
    assert.equal(exitCode, 4);
    assert.match(stderr, /3 events imported, .*\n {2}line 4: It is not UTF-8: send it to capture\.\n$/);
    const stored = await database().sql<{ payload: object }>('select payload from dlq_events order by id');
    assert.deepEqual(
      stored.map(({ payload }) => JSON.stringify(payload)),
      lines,
    );
  });

  it('reads stdin, and prints the event of each line on a pipe', async () => {
    await database().clear();
    const { stdout, exitCode } = await dlo(['import', '-'], { stdin: `${aFailure(1)}\nnot JSON\n` });
    const [event, rejected] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([event.line, event.isNew, rejected.line], [1, true, 2]);
    assert.equal(exitCode, 4);
  });

  it('reads what dlo export prints: the same message, reason and origin', async () => {
    await database().clear();
    const columns = {
      event_type: 'order.created',
      event_id: 'evt-1',
      body: Buffer.from([0, 255, 10]),
      payload: '"AP8K"',
      payload_encoding: 'base64',
      content_type: 'image/png',
      headers: '{"x-tenant": "us"}',
      error_class: 'NoStock',
      error_reason: 'no stock',
      consumer_group: 'billing',
      status: 'FAILED_PERMANENTLY',
    };
    await anEvent(database(), columns);
    const { stdout } = await dlo(['export']);
    await database().clear();
    assert.equal((await dlo(['import', '-'], { stdin: stdout })).exitCode, 0);
    const again = JSON.parse((await dlo(['export'])).stdout);
    const named = (event: Record<string, unknown>) =>
      ['eventType', 'eventId', 'bodyBase64', 'contentType', 'headers', 'errorClass', 'errorReason']
        .concat('consumerGroup', 'status')
        .map((name) => event[name]);
    assert.deepEqual(named(again), named(JSON.parse(stdout)));
  });

  it('is partly done if the reader of its output exits before it ends', async () => {
    await database().clear();
    const file = path.join(folder, 'unread.ndjson');
    writeFileSync(file, aFailure(1));
    assert.equal((await dlo(['import', file], { isUnread: true })).exitCode, 4);
    assert.equal(await count(), 0);
  });

  it('ends on Ctrl-C while it waits for stdin', async () => {
    const interrupt = new AbortController();
    setImmediate(() => interrupt.abort());
    assert.equal((await dlo(['import', '-'], { signal: interrupt.signal })).exitCode, 130);
  });

  it('keeps little of a line that is larger than a text can be', async () => {
    const chunk = Buffer.alloc(2 ** 26, 'a');
    const stdin = Readable.from([...Array.from({ length: 9 }, () => chunk), Buffer.from('\n{}\r\n\n[]')]);
    const { lines } = await openLines('-', { stdin, signal: new AbortController().signal });
    const read = await Array.fromAsync(lines, ({ number, text }) => [number, text.length]);
    assert.deepEqual(read, [
      [1, 2 ** 20],
      [2, 2],
      [4, 2],
    ]);
  });

  it('says which file it cannot read', async () => {
    const { exitCode, stderr } = await dlo(['import', 'no-such-file']);
    assert.deepEqual([exitCode, stderr.split(':')[0]], [2, 'no-such-file cannot be read']);
    const ofFolder = await dlo(['import', folder]);
    assert.deepEqual([ofFolder.exitCode, ofFolder.stderr.split(':')[0]], [2, `${folder} cannot be read`]);
  });
});

describe('dlo export', () => {
  const database = useDatabase();
  const api = useApi(database);
  const dlo = useCommandLine(() => api().url);

  it('prints every event that a filter selects', async () => {
    await database().clear();
    const id = await anEvent(database(), { event_type: 'order.created' });
    await anEvent(database(), { event_type: 'user.created' });
    const { stdout } = await dlo(['export', 'type:order.*']);
    assert.equal(JSON.parse(stdout).id, id);
    assert.match((await dlo(['export', '--format', 'csv'])).stdout, /^id,eventType,.*\r\n(.*\r\n){2}$/);
  });

  it('ends with its reader, and says in a line that the disk is full', async () => {
    assert.deepEqual(await dlo(['export'], { isUnread: true }), { exitCode: 0, stdout: '', stderr: '' });
    const stderr = 'The output cannot be written: ENOSPC: no space left on device, write\n';
    for (const command of ['export', 'events']) {
      assert.deepEqual(await dlo([command], { isFull: true }), { exitCode: 1, stdout: '', stderr });
    }
  });
});
