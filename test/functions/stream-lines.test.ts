import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hono } from 'hono';
import { answerFailure, type NodeEnv, serveApp } from '../../functions/serve-app.ts';
import { streamLines } from '../../functions/stream-lines.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { useServer } from '../support/server.ts';

describe('lines as a response', () => {
  const ended = Promise.withResolvers<void>();
  const exports: Record<string, () => AsyncGenerator<string>> = {
    async *none() {},
    async *broken() {
      yield 'one\n';
      throw new Error('s3cret detail');
    },
    // biome-ignore lint/correctness/useYield: it fails before its first line.
    async *missing() {
      throw new NotFoundError('There is no such list.');
    },
    async *endless() {
      try {
        for (;;) yield `${'x'.repeat(65_536)}\n`;
      } finally {
        ended.resolve();
      }
    },
  };
  const app = new Hono<NodeEnv>();
  app.get(
    '/:name',
    async (c) => new Response(await streamLines(exports[c.req.param('name')]?.() ?? assert.fail())),
  );
  app.onError((error) => answerFailure(error));
  const origin = useServer(serveApp(app));
  const get = (name: string) => fetch(`${origin()}/${name}`);

  it('may be none', async () => {
    assert.equal(await (await get('none')).text(), '');
  });

  it('break the connection after an error, and say nothing of it', async ({ mock }) => {
    // The adapter prints the error, too.
    mock.method(console, 'error', () => {});
    const { status, body } = await get('broken');
    assert.equal(status, 200);
    let received = '';
    await assert.rejects(async () => {
      for await (const chunk of body ?? []) received += Buffer.from(chunk).toString();
    });
    assert.ok('one\n'.startsWith(received), received);
  });

  it('are an error like any other before the first of them', async () => {
    const response = await get('missing');
    assert.deepEqual([response.status, Object(await response.json()).code], [404, 'NOT_FOUND']);
  });

  it('end when their reader leaves', async () => {
    const response = await get('endless');
    await response.body?.cancel();
    await ended.promise;
  });
});
