import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { useDatabase } from '../../support/database.ts';
import { useFunction } from '../../support/framework.ts';
import { type OpenUpload, openUpload } from '../../support/raw-upload.ts';
import { itTriesOne } from '../../support/sample.ts';
import { signV1, signV2 } from '../../support/sign.ts';
import { waitUntil } from '../../support/wait-until.ts';

const secret = 'a secret of a bridge';
const mebi = 2 ** 20;

describe('capture on the internet', () => {
  const database = useDatabase();
  const capture = useFunction('capture', () => ({
    DATABASE_URL: database().url,
    CAPTURE_SECRETS: secret,
    DB_POOL_MAX: '2',
  }));
  const uploads: OpenUpload[] = [];
  let count = 0;

  beforeEach(() => database().clear());
  afterEach(() => {
    for (const { socket } of uploads.splice(0)) socket.destroy();
  });

  const post = (body: Buffer | string, headers: Record<string, string>) =>
    fetch(capture().url, {
      method: 'POST',
      headers,
      body: new Uint8Array(Buffer.from(body)),
    });
  /** Sends a small event. */
  const sendSigned = async () => {
    const body = `{"eventType": "order", "error": "503", "payload": ${++count}}`;
    const type = { 'content-type': 'x' };
    const headers = { ...type, 'dlo-signature': signV2({ secret, body }, type) };
    const { status } = await post(body, headers);
    return status;
  };
  const upload = async (more: Parameters<typeof openUpload>[1]) => {
    const opened = await openUpload(capture().url, more);
    uploads.push(opened);
    return opened;
  };
  /** A signature that only the body can refute. */
  const forged = () => ({ 'dlo-signature': `t=${Math.floor(Date.now() / 1000)},v2=${'0'.repeat(64)}` });
  const rss = () => {
    const [, kilobytes] =
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${capture().child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  };
  const assertServes = async () => assert.equal(await sendSigned(), 200);

  it('rejects an unsigned upload before its body, and closes the connection', async () => {
    const { status, isClosed } = await upload({ bytes: mebi });
    assert.equal(await status, 401);
    await waitUntil('the connection is closed', isClosed);
  });

  it('rejects a stale signature before the body', async () => {
    const stale = signV2({ secret, time: Math.floor(Date.now() / 1000) - 301, body: '' });
    const { status } = await upload({ headers: { 'dlo-signature': stale }, bytes: mebi });
    assert.equal(await status, 401);
  });

  // Tens of megabytes each.
  itTriesOne('flood', {
    'serves a signed request during 20 bombs and 20 unfinished uploads, in flat memory': async () => {
      await sendSigned();
      const before = rss();
      const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
      const bomb = brotliCompressSync(Buffer.alloc(127 * mebi, ' '), fast);
      const bombs = Array.from({ length: 20 }, () => post(bomb, { 'content-encoding': 'br' }));
      await Promise.all(Array.from({ length: 20 }, () => upload({ bytes: 8 * mebi })));
      await assertServes();
      const statuses = new Set((await Promise.all(bombs)).map(({ status }) => status));
      assert.deepEqual([...statuses], [401]);
      assert.ok(rss() - before < 64, `${Math.round(before)} to ${Math.round(rss())} MiB`);
    },

    'serves a signed request while unfinished uploads with forged signatures hold all it may': async () => {
      await sendSigned();
      const before = rss();
      for (let i = 0; i < 20; i++) await upload({ headers: forged(), bytes: 15 * mebi });
      await waitUntil('the uploads are held', () => rss() > before + 32);
      await assertServes();
      assert.ok(rss() - before < 200, `${Math.round(before)} to ${Math.round(rss())} MiB`);
    },

    'counts what chunks of one byte cost': async () => {
      await sendSigned();
      const before = rss();
      for (let i = 0; i < 3; i++) await upload({ headers: forged(), bytes: mebi, chunkBytes: 1 });
      await assertServes();
      assert.ok(rss() - before < 200, `${Math.round(before)} to ${Math.round(rss())} MiB`);
    },

    'keeps bombs of senders with the secret as they came, in bounded memory': async () => {
      await sendSigned();
      const before = rss();
      const body = gzipSync(Buffer.alloc(50 * mebi), { level: 1 });
      const answers = Array.from({ length: 12 }, () => {
        const headers = { 'content-encoding': 'gzip' };
        return post(body, { ...headers, 'dlo-signature': signV2({ secret, body }, headers) });
      });
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.ok(statuses.every((status) => status === 200 || status === 503));
      assert.ok(rss() - before < 250, `${Math.round(before)} to ${Math.round(rss())} MiB`);
      await assertServes();
    },
  });

  it('answers 413 to a body of more than 16 MiB, declared or not', async () => {
    const declared = await upload({ headers: forged(), bytes: 16 * mebi });
    assert.equal(await declared.status, 413);
    const chunked = await upload({ headers: forged(), bytes: 17 * mebi, chunkBytes: 65_536 });
    assert.equal(await chunked.status, 413);
  });

  const message = '[{"eventType": "order", "payload": 1}]';
  const forgeries: Record<string, { readonly path?: string; readonly headers?: Record<string, string> }> = {
    'an event-id': { headers: { 'event-id': 'forged' } },
    'the id of a Pub/Sub push': { headers: { 'x-goog-pubsub-message-id': 'forged' } },
    'the name of a task': { headers: { 'x-cloudtasks-queuename': 'q', 'x-cloudtasks-taskname': 'forged' } },
    'a Pulsar topic': { headers: { pulsartopic: 'forged', pulsarmessageid: 'forged' } },
    'the header of a dead letter': {
      headers: { 'kafka_dlt-original-topic': 'forged', kafka_dltoriginaltopic: 'forged' },
    },
    'another path': { path: 'forged/key' },
    'another query': { path: '?id=forged' },
  };
  const idHeaders: Record<string, Record<string, string>> = {
    'the id of a redelivery': { 'dlo-event-id': `1.${'a'.repeat(32)}` },
    'an id of the sender': { 'dlo-event-id': 'forged' },
    'a CloudEvent': { 'ce-id': 'forged', 'ce-source': '/s', 'ce-type': 't', 'ce-specversion': '1.0' },
    'an idempotency key': { 'idempotency-key': 'forged' },
    'the media type of reports': { 'content-type': 'application/vnd.dead-letter-office.report+json' },
    'a batch type': { 'content-type': 'application/x-ndjson' },
  };
  const countEvents = async () => (await database().sql('select from dlq_events')).length;
  const resend = (signature: string, { path = '', headers = {} }: (typeof forgeries)[string]) =>
    fetch(`${capture().url}${path}`, {
      method: 'POST',
      headers: { 'dlo-signature': signature, ...headers },
      body: new Uint8Array(Buffer.from(message)),
    });

  for (const [name, forgery] of Object.entries(forgeries)) {
    it(`makes no other event of a signed request that is sent again with ${name}`, async () => {
      for (const sign of [signV1, signV2]) {
        const signature = sign({ secret, body: message });
        assert.equal((await resend(signature, {})).status, 200);
        assert.equal((await resend(signature, forgery)).status, 200);
        assert.equal(await countEvents(), 1);
      }
    });
  }

  for (const [name, headers] of Object.entries(idHeaders)) {
    it(`makes no other event of a signed request that is sent again with ${name}`, async () => {
      const v1 = signV1({ secret, body: message });
      for (const forgery of [{}, { headers }]) assert.equal((await resend(v1, forgery)).status, 200);
      assert.equal((await resend(signV2({ secret, body: message }), { headers })).status, 401);
      assert.equal(await countEvents(), 1);
    });
  }

  it('keeps headers that version 1 does not cover as ordinary headers of the message', async () => {
    const headers = { 'ce-id': '1', 'dlo-event-id': 'mine', tenant: 'acme', 'content-type': 'text/plain' };
    await post('text', { ...headers, 'dlo-signature': signV1({ secret, body: 'text' }) });
    const [row] = await database().sql(
      'select headers, content_type, event_id, event_type, source_kind from dlq_events',
    );
    const { 'content-type': contentType, ...kept } = headers;
    assert.deepEqual(row, {
      headers: kept,
      content_type: contentType,
      event_id: null,
      event_type: 'unknown',
      source_kind: 'unknown',
    });
  });

  it('believes headers that version 2 covers', async () => {
    const headers = { 'dlo-event-id': 'mine', 'content-encoding': 'gzip', 'idempotency-key': 'once' };
    const body = gzipSync('a message');
    await post(body, { ...headers, 'dlo-signature': signV2({ secret, body }, headers) });
    const [row] = await database().sql('select payload, event_id from dlq_events');
    assert.deepEqual(row, { payload: 'a message', event_id: 'mine' });
  });

  it('rejects a content encoding that version 1 does not cover', async () => {
    const body = gzipSync('a message');
    const signed = { 'content-encoding': 'gzip', 'dlo-signature': signV1({ secret, body }) };
    assert.equal((await post(body, signed)).status, 401);
    assert.equal(await countEvents(), 0);
  });
});
