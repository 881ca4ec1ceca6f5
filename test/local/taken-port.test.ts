import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startServer } from '../support/start-server.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('the embedded PostgreSQL', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dlo-port-'));
    // Its own user enters it.
    await chmod(folder, 0o711);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  it('starts on another port if a program takes its own while it is initialised', async () => {
    const starting = startServer(folder);
    const file = path.join(folder, 'url');
    await waitUntil(
      'the port is chosen',
      () => existsSync(file) && readFileSync(file, 'utf8').includes('\n'),
    );
    const { port } = new URL(readFileSync(file, 'utf8'));
    const other = createServer().listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    const postgres = await starting;
    try {
      assert.notEqual(new URL(postgres.url).port, port);
    } finally {
      await postgres.stop();
      other.close();
    }
  });
});
