import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { waitFor } from '../local/service-process.ts';
import { useDatabase } from '../support/database.ts';
import { useFunction } from '../support/framework.ts';
import { startCommand } from '../support/run-command.ts';
import { readBodies } from '../support/stored-bodies.ts';

const order = (n: number) => `{"orderId": ${n}, "price": 1.10}`;
const lines = (count: number) => Array.from({ length: count }, (_, i) => order(i + 1)).join('\n');

describe('npm run import', () => {
  const database = useDatabase();
  const capture = useFunction('capture', () => ({ DATABASE_URL: database().url, MAX_BODY_BYTES: '65536' }));
  beforeEach(() => database().sql('truncate dlq_events'));

  const start = (input: string | Buffer | undefined, args: readonly string[] = ['-']) =>
    startCommand(
      ['import/run-import.ts', '--capture', capture().url, ...args],
      input === undefined ? {} : { input },
    );
  const run = (input: string | Buffer, ...args: string[]) => start(input, [...args, '-']).ended;
  const bodies = async () => (await readBodies(database())).map(String);

  it('captures each line, exactly as written and in order', async () => {
    const { status, stdout, stderr } = await run(`\ufeff${order(1)}\r\n\n  \n${order(2)}\n"text"\n42`);
    assert.deepEqual([status, stderr], [0, '']);
    assert.equal(stdout, '4 events: 4 new, 0 known already\n');
    assert.deepEqual(await bodies(), [order(1), order(2), '"text"', '42']);
  });

  it('names each rejected line and its reason, imports the others, and ends with exit code 1', async () => {
    const large = JSON.stringify('x'.repeat(70_000));
    const { status, stdout, stderr } = await run(
      Buffer.concat([
        Buffer.from(`${order(1)}\n{"cut": \n[${order(2)}]\n`),
        Buffer.from([0xff, 0x0a]),
        Buffer.from(`${large}\n${order(3)}\n`),
      ]),
    );
    assert.equal(status, 1);
    assert.equal(stdout, '2 events: 2 new, 0 known already; 4 lines rejected\n');
    assert.deepEqual(stderr.trimEnd().split('\n').sort(), [
      'line 2 is not JSON: Unexpected end of JSON input',
      "line 3 is a JSON array: write one object per line, with jq -c '.[]'",
      'line 4 is not UTF-8',
      'line 5 is larger than MAX_BODY_BYTES of the deployment',
    ]);
    assert.deepEqual(await bodies(), [order(1), order(3)]);
  });

  it('changes nothing when it runs again, even long after the events were delivered', async () => {
    await run(lines(3));
    await database().sql(
      `update dlq_events set status = 'SUCCEEDED', first_failure_at = now() - interval '1 day',
         last_failure_at = now() - interval '1 day'`,
    );
    const before = await database().sql('select * from dlq_events order by id');
    assert.equal((await run(lines(3))).stdout, '3 events: 0 new, 3 known already\n');
    assert.deepEqual(await database().sql('select * from dlq_events order by id'), before);
  });

  it('stops on Ctrl-C with the line to continue at, and continues there', async () => {
    const stopped = start(undefined);
    stopped.child.stdin?.write(`${lines(700)}\n`);
    await waitFor('the first batch', async () => (await bodies()).length === 500);
    stopped.child.kill('SIGINT');

    const { status, stdout, stderr } = await stopped.ended;
    assert.equal(status, 130);
    assert.match(stdout, /^500 events: 500 new/);
    assert.match(
      stderr,
      /Lines 1 to 500 are done\. Continue with --from-line 501, or from the beginning\.\n$/,
    );
    assert.match((await run(lines(700), '--from-line', '501')).stdout, /^200 events: 200 new/);
    assert.deepEqual(await bodies(), lines(700).split('\n'));
  });

  it('skips events of another deployment that are closed there, and counts them', async () => {
    const exported = (status: string) => {
      const event = {
        event_key: `id:${status}`,
        event_type: 'a',
        payload_encoding: 'json',
        payload: 1,
        status,
      };
      return JSON.stringify({ event, attempts: [] });
    };
    const { status, stdout } = await run(['PENDING', 'SUCCEEDED', 'DISCARDED'].map(exported).join('\n'));
    assert.deepEqual([status, stdout], [0, '1 event: 1 new, 0 known already; 2 closed events skipped\n']);
    const events = await database().sql('select event_key, event_type from dlq_events');
    assert.deepEqual(events, [{ event_key: 'id:PENDING', event_type: 'a' }]);
  });

  it('reads a compressed file', async () => {
    const file = path.join(process.env.DLO_TEST_FOLDER ?? '', 'orders.ndjson.gz');
    writeFileSync(file, gzipSync(lines(2)));
    const { status, stdout } = await start('', [file]).ended;
    assert.deepEqual([status, stdout], [0, '2 events: 2 new, 0 known already\n']);
  });

  it('says what is done, and exits with 1, when the file cannot be read to its end', async () => {
    const file = path.join(process.env.DLO_TEST_FOLDER ?? '', 'cut.ndjson.gz');
    writeFileSync(file, gzipSync(lines(2)).subarray(0, -4));
    const { status, stderr } = await start('', [file]).ended;
    assert.equal(status, 1);
    assert.match(stderr, /unexpected end of file/);
    const missing = await start('', [`${file}.missing`]).ended;
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /ENOENT/);
  });

  it('never takes the answer of another server for a capture', async () => {
    const other = createServer((_, response) => response.end('<h1>Welcome</h1>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { status, stderr } = await startCommand(['import/run-import.ts', '--capture', url, '-'], {
      input: order(1),
    }).ended;
    other.close();
    assert.equal(status, 1);
    assert.match(stderr, /answered with something other than events\. Give the URL of the capture function/);
  });

  it('prints help, and reports all invalid arguments at once', async () => {
    const help = await startCommand(['import/run-import.ts', '--help'], { input: '' }).ended;
    assert.equal(help.status, 0);
    assert.match(help.stdout, /^npm run import -- --capture URL \[--from-line N\] FILE\n/);
    const wrong = await startCommand(['import/run-import.ts', '--from-line', '0'], { input: '' }).ended;
    assert.equal(wrong.status, 1);
    for (const part of ['Name a file', '--capture (not set)', '--from-line 0'])
      assert.ok(wrong.stderr.includes(part));
    const unknown = await startCommand(['import/run-import.ts', '--dry-run', '-'], { input: '' }).ended;
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr, /Unknown option '--dry-run'/);
  });
});
