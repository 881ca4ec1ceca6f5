import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { serve } from '../../local/gateway/gateway.ts';
import { type Listening, listenOnLoopback } from '../../local/gateway/listen.ts';
import { makeRunFolder, removeRunFolder } from '../../local/run-folder.ts';

describe('the gateway', () => {
  const folder = makeRunFolder();
  const socket = join(folder, 'capture.sock');
  const state = { missing: [] as string[], isReady: true };
  const names = ['capture', 'retry'];
  let upstream: Server;
  let gateway: Listening;
  let behave: RequestListener;

  before(async () => {
    upstream = createServer((incoming, response) => behave(incoming, response)).listen(socket);
    await once(upstream, 'listening');
    const office = {
      names,
      find: (name: string) =>
        name === 'capture' ? { name, socket, isReady: () => state.isReady } : undefined,
      listMissing: async () => state.missing,
    };
    gateway = await listenOnLoopback(0, (incoming, response) => serve(office, incoming, response));
  });
  after(async () => {
    upstream.close();
    await gateway.close(0);
    removeRunFolder(folder);
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${gateway.port}${path}`);

  it('removes the first segment of the path and keeps the rest to the letter', async () => {
    behave = (incoming, response) => response.end(incoming.url);

    for (const [path, seen] of [
      ['/capture', '/'],
      ['/capture?a=1', '/?a=1'],
      ['/capture/x%2Fy?z=%20', '/x%2Fy?z=%20'],
      ['/capture//x', '//x'],
    ] as const) {
      assert.equal(await (await get(path)).text(), seen);
    }
  });

  it('passes headers on as they were written, repeated ones and their order included', async () => {
    let seen: string[] = [];
    behave = (incoming, response) => {
      seen = incoming.rawHeaders;
      response.writeHead(299, 'Fine', ['X-One', 'a', 'x-one', 'b', 'Set-Cookie', 'c']).end();
    };
    const headers = [
      'Host',
      'office.example',
      'ce-ID',
      '1',
      'X-Two',
      'é',
      'x-two',
      '',
      'Content-Length',
      '2',
    ];

    const outgoing = request({ port: gateway.port, method: 'POST', path: '/capture', headers }).end(
      Buffer.from('ok'),
    );
    const [answer] = await once(outgoing, 'response');

    assert.deepEqual(seen.slice(0, headers.length), headers);
    assert.equal(`${answer.statusCode} ${answer.statusMessage}`, '299 Fine');
    assert.deepEqual(answer.rawHeaders.slice(0, 6), ['X-One', 'a', 'x-one', 'b', 'Set-Cookie', 'c']);
    answer.resume();
  });

  it('streams both ways: the function sees the start of a body before its end', async () => {
    behave = (incoming, response) => incoming.pipe(response);
    const outgoing = request({ port: gateway.port, method: 'POST', path: '/capture' });
    outgoing.write('first ');

    const [answer] = await once(outgoing, 'response');
    const [chunk] = await once(answer, 'data');
    assert.equal(String(chunk), 'first ');
    outgoing.end('second');
    assert.equal(await text(answer), 'second');
  });

  it('passes on the answer of a function that has closed before the last of the request was written', async () => {
    const outgoing = request({ port: gateway.port, method: 'POST', path: '/capture' });
    behave = (incoming, response) => {
      incoming.once('data', () => {
        outgoing.end('the rest');
        response.end('enough');
      });
    };
    outgoing.write('the start');
    const [answer] = await once(outgoing, 'response');

    assert.deepEqual([answer.statusCode, await text(answer)], [200, 'enough']);
  });

  it('closes each connection to a function itself, once it was answered', async () => {
    const isClosed = new Promise((resolve) => {
      behave = (incoming, response) => {
        incoming.socket.once('end', () => resolve(true));
        response.end();
      };
    });
    await get('/capture');

    assert.ok(await isClosed);
  });

  it('gives an empty POST no body and no chunks', async () => {
    behave = (incoming, response) => response.end(JSON.stringify(incoming.headers));
    const client = connect(gateway.port, '127.0.0.1');
    client.write('POST /capture HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

    const seen = JSON.parse((await text(client)).split('\r\n').find((line) => line.startsWith('{')) ?? '');
    assert.equal(seen['transfer-encoding'], undefined);
    assert.equal(seen['content-length'], '0');
  });

  it('answers 503 with a time to come back while a function is starting', async () => {
    for (const path of ['/retry', '/capture']) {
      state.isReady = false;
      const answer = await get(path);
      state.isReady = true;
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.match(await answer.text(), /is starting\. Send the same request again/);
    }
  });

  it('answers 502 when a function breaks off before it answered', async () => {
    behave = (incoming) => incoming.destroy();
    const answer = await get('/capture');
    assert.equal(answer.status, 502);
    assert.match(await answer.text(), /capture broke off/);
  });

  it('tells whoever asks for an unknown path which ones there are', async () => {
    for (const path of ['/captur', '/healthz/x', '/toString', '//capture']) {
      const answer = await get(path);
      assert.equal(answer.status, 404);
      assert.deepEqual(Object(await answer.json()).paths, ['/', '/healthz', '/capture', '/retry']);
    }
    assert.match(await (await get('/')).text(), /\/capture .*\n .*\/retry /);
  });

  it('is healthy only when nothing is missing, and names what is', async () => {
    assert.equal((await get('/healthz')).status, 200);
    state.missing = ['database'];
    const answer = await get('/healthz');
    state.missing = [];
    assert.equal(answer.status, 503);
    assert.deepEqual(Object(await answer.json()).missing, ['database']);
  });
});
