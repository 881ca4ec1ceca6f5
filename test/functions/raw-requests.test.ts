import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { serveRaw } from '../../functions/raw-requests.ts';
import { log } from '../../shared/log.ts';
import { useDatabase } from '../support/database.ts';
import { serveFunction } from '../support/framework.ts';
import { readLog } from '../support/log-lines.ts';

const malformed = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"orderId": 1, "note": "cut o',
};

describe('a server that serves an endpoint raw', () => {
  const database = useDatabase();

  it('hands each request to the endpoint in place of its own handlers', async (context) => {
    const server = createServer((_request, response) => response.writeHead(400).end('parsed'));
    context.after(() => server.close());
    serveRaw(server, (request, response) => void request.pipe(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, malformed);
    assert.deepEqual([response.status, await response.text()], [200, malformed.body]);
  });

  it('labels the lines of a request with its execution', async (context) => {
    const server = createServer();
    context.after(() => server.close());
    serveRaw(server, async (_request, response) => {
      await new Promise(setImmediate);
      log('INFO', 'late', { action: 'capture' });
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const send = (headers: Record<string, string>) =>
      readLog(() => fetch(`http://127.0.0.1:${port}/`, { headers }));
    const [named] = await send({ 'function-execution-id': 'abc123' });
    assert.deepEqual(named?.['logging.googleapis.com/labels'], { action: 'capture', execution_id: 'abc123' });
    const [unnamed] = await send({});
    assert.match(JSON.stringify(unnamed), /"execution_id":"[0-9a-f-]{36}"/);
  });

  it('captures a malformed body in the first request of a process started by --target alone', async (context) => {
    const env = { DATABASE_URL: database().url, FUNCTION_TARGET: '' };
    const { url, stop } = await serveFunction('capture', env);
    context.after(stop);
    assert.equal((await fetch(url, malformed)).status, 200);
    assert.deepEqual(await database().sql('select payload from dlq_events'), [{ payload: malformed.body }]);
  });
});
