import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { serveByRole } from '../../../functions/console/console.ts';
import type { Endpoint } from '../../../functions/endpoint.ts';

describe('the pages of operators', () => {
  const answer =
    (pages: string): Endpoint =>
    (request, response) => {
      response.end(`${pages} ${request.url}`);
    };
  http('by-role', serveByRole(answer('all'), answer('operators')));
  const server = getTestServer('by-role');
  let port = 0;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  /** The pages that answer a path exactly as it is sent. */
  const served = (path: string) =>
    new Promise<string>((resolve) => {
      send({ port, host: '127.0.0.1', path }, async (response) =>
        resolve(Buffer.concat(await response.toArray()).toString()),
      ).end();
    });

  it('are served below a path of their own', async () => {
    assert.equal(await served('/operator/events?q=type:a'), 'operators /events?q=type:a');
    assert.equal(await served('/operator/'), 'operators /');
  });

  for (const path of [
    '/operators/',
    '/Operator/',
    '/%6fperator/',
    '//operator/',
    '/x/../operator/',
    '/events?q=/operator/',
  ]) {
    it(`are not served at ${path}`, async () => {
      assert.equal(await served(path), `all ${path}`);
    });
  }
});
