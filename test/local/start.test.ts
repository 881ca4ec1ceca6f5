import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findFreePort } from '../support/free-port.ts';
import { useOffices } from './office-process.ts';

describe('npm start', () => {
  const { dataFolder, startOffice } = useOffices();

  it('lists every problem of the configuration at once and starts nothing', async () => {
    const office = startOffice({
      PORT: 'eighty',
      DEMO: 'maybe',
      RETRY_EVERY_SECONDS: '-1',
      INSTANCE_CONNECTION_NAME: 'project:region:instance',
      BATCH_SIZE: '0',
      ROUTES: '[{"target":{"kind":"http","url":"ftp://x"}}]',
    });

    assert.equal(await office.ended, 1);
    assert.match(office.stderr(), /^The configuration has 6 problems:/);
    for (const field of [
      'PORT',
      'DEMO',
      'RETRY_EVERY_SECONDS',
      'INSTANCE_CONNECTION_NAME',
      'BATCH_SIZE',
      'ROUTES',
    ]) {
      assert.match(office.stderr(), new RegExp(String.raw`^ {2}${field}.* = "?.+\n {4}\S`, 'm'));
    }
    assert.doesNotMatch(office.stderr(), /\n +at /, 'no stack trace');
    assert.equal(office.stdout(), '');
    assert.equal(existsSync(dataFolder), false);
  });

  it('says how to go on when the port is taken, and starts nothing', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const office = startOffice({ PORT: String(port) });
    const code = await office.ended;
    other.close();

    assert.equal(code, 1);
    assert.match(office.stderr(), new RegExp(`PORT = ${port}\n .*another one: PORT=${port + 1} npm start`));
    assert.equal(existsSync(join(dataFolder, 'postgres')), false);
  });

  it('names the database that cannot be reached, but not its password', async () => {
    const address = `127.0.0.1:${await findFreePort()}/orders`;
    const office = startOffice({ DATABASE_URL: `postgres://someone:secret@${address}` });

    assert.equal(await office.ended, 1);
    assert.ok(office.stderr().startsWith(`The database ${address} cannot be used: `), office.stderr());
    assert.match(office.stderr(), /ECONNREFUSED.*\n.*DATABASE_URL/);
    assert.doesNotMatch(office.stderr() + office.stdout(), /secret/);
  });
});
