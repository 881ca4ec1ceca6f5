import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { serveFunction } from '../support/framework.ts';

describe('a database that accepts connections and answers nothing', () => {
  for (const [name, path, says] of [
    ['console', '/', /The database is unavailable.*Check that PostgreSQL runs.*Activity/s],
    ['replay', '/events', /The database is unavailable/],
  ] as const)
    it(`is known to ${name} before the wait for a connection ends`, async (context) => {
      let isGivenUp = false;
      const silent = createServer((socket) => {
        socket
          .resume()
          .on('close', () => (isGivenUp = true))
          .on('error', () => {});
      });
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as AddressInfo;
      const env = { DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/dlq`, ROUTES: '[]', LOCAL_CALLER: 'ada' };
      const { url, stop } = await serveFunction(name, env);
      context.after(stop);
      context.after(() => silent.close());
      const response = await fetch(new URL(path, url));
      assert.equal(response.status, 503);
      assert.match(await response.text(), says);
      assert.equal(isGivenUp, false);
    });
});
