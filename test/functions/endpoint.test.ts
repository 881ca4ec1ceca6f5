import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { onlyPost } from '../../functions/endpoint.ts';
import { DatabaseUnavailableError, InputError } from '../../shared/errors.ts';

const problem = { field: 'ids', value: 'x', remedy: 'Give a list.' };
const errors: Record<string, unknown> = {
  'bad input': new InputError([problem]),
  'no database': new DatabaseUnavailableError(new Error('ECONNREFUSED 10.0.0.7')),
  'a bug': new Error('s3cret detail'),
  'no error at all': 's3cret detail',
};

describe('an endpoint that fails', () => {
  let server: Server;
  before(async () => {
    const fail = onlyPost(async (request) => {
      throw errors[String(request.headers.failure)];
    });
    http('failing', fail);
    server = getTestServer('failing').listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const post = (failure: string) => {
    const { port } = server.address() as AddressInfo;
    return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { failure } });
  };

  it('answers bad input with problem details', async () => {
    const response = await post('bad input');

    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.deepEqual(await response.json(), {
      status: 400,
      title: 'Bad Request',
      code: 'BAD_INPUT',
      detail: 'The request is invalid. Nothing was changed.',
      problems: [problem],
    });
  });

  it('answers 503 with Retry-After if the database is unavailable', async () => {
    const response = await post('no database');

    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5']);
    assert.doesNotMatch(await response.text(), /10\.0\.0\.7/);
  });

  for (const failure of ['a bug', 'no error at all']) {
    it(`answers 500 without internal details after ${failure}`, async () => {
      const response = await post(failure);

      assert.equal(response.status, 500);
      assert.doesNotMatch(await response.text(), /s3cret/);
    });
  }
});
