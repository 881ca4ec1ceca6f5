import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { runOnServer, useDatabase, useEmptyDatabases } from '../support/database.ts';
import { openDatabaseLink } from '../support/database-link.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startFile, useServices, waitForAddress } from './service-process.ts';

describe('npm start', () => {
  const database = useDatabase();
  const anEmptyDatabase = useEmptyDatabases();
  const { dataFolder, startService } = useServices();

  it('lists every problem of the configuration at once and starts nothing', async () => {
    const service = startService({
      PORT: 'eighty',
      DEMO: 'maybe',
      RETRY_EVERY_SECONDS: '-1',
      INSTANCE_CONNECTION_NAME: 'project:region:instance',
      BATCH_SIZE: '0',
      ROUTES: '[{"target":{"kind":"http","url":"ftp://x"}}]',
    });

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /^The configuration has 6 problems:/);
    for (const field of [
      'PORT',
      'DEMO',
      'RETRY_EVERY_SECONDS',
      'INSTANCE_CONNECTION_NAME',
      'BATCH_SIZE',
      'ROUTES',
    ]) {
      assert.match(service.stderr(), new RegExp(String.raw`^ {2}${field}.* = "?.+\n {4}\S`, 'm'));
    }
    assert.doesNotMatch(service.stderr(), /\n +at /, 'no stack trace');
    assert.equal(service.stdout(), '');
    assert.equal(existsSync(dataFolder), false);
  });

  it('rejects arguments, which it would otherwise ignore', () => {
    const { status, stderr } = spawnSync(process.execPath, [startFile, '--port', '80'], { encoding: 'utf8' });

    assert.equal(status, 1);
    assert.match(stderr, /argument = "--port"\n.*environment variables/);
    assert.match(stderr, /argument = "80"/);
  });

  it('ends with the remedy if it cannot create its data folder', async () => {
    const service = startService({ DATA_DIR: '/proc/nope' });

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /^The data folder \/proc\/nope is unusable: .*DATA_DIR/);
  });

  it('keeps the password of its data if the disk is full', async (context) => {
    if (process.platform === 'win32') return context.skip('Windows has no limits of a process.');
    mkdirSync(join(dataFolder, 'postgres'), { recursive: true });
    const url = 'postgres://dlo:secret@127.0.0.1:1/dlo\n';
    writeFileSync(join(dataFolder, 'url'), url);
    const limited = ['-c', 'ulimit -f 0; exec "$0" "$1"', process.execPath, startFile];
    const service = startService({}, limited, 'sh');

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /^The data folder .* is unusable: Error: EFBIG.*DATA_DIR/);
    assert.equal(readFileSync(join(dataFolder, 'url'), 'utf8'), url);
    rmSync(dataFolder, { recursive: true });
  });

  it('names the right that its login lacks for the migrations', async (context) => {
    const login = `dlo_test_${randomBytes(4).toString('hex')}`;
    await runOnServer(`create role ${login} login password 'only-for-tests'`);
    context.after(() => runOnServer(`drop role ${login}`));
    const url = Object.assign(new URL(await anEmptyDatabase()), {
      username: login,
      password: 'only-for-tests',
    });
    const service = startService({ DATABASE_URL: url.href });

    assert.equal(await service.ended, 1);
    const said =
      /^The migrations could not be applied to \S+: .*permission denied for schema public\. Use the login that /m;
    assert.match(service.stderr(), said);
  });

  it('ends with the remedy for a user without a name, whom PostgreSQL does not serve', async (context) => {
    const become = ['--import', 'data:text/javascript,process.setgroups([]);process.setuid(60606)'];
    const read = ['--eval', `fs.accessSync(${JSON.stringify(startFile)})`];
    const isPossible = spawnSync(process.execPath, [...become, ...read]).status === 0;
    if (!isPossible) return context.skip('only root can become another user');
    const service = startService({ DATA_DIR: makeOpenFolder(dirname(dataFolder)) }, [...become, startFile]);

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /^PostgreSQL ended with exit code 1\. .*\/etc\/passwd.* DATABASE_URL/);
  });

  it('suggests another port if the port is taken, and starts nothing', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const service = startService({ PORT: String(port) });
    const code = await service.ended;
    other.close();

    assert.equal(code, 1);
    assert.match(service.stderr(), new RegExp(`PORT = ${port}\n .*another: PORT=${port + 1} npm start`));
    assert.equal(existsSync(join(dataFolder, 'postgres')), false);
  });

  it('names the address that the system lacks', async (context) => {
    const isolate = [
      '-rn',
      'sh',
      '-c',
      'ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec "$@"',
      '',
    ];
    const isPossible = spawnSync('unshare', [...isolate, 'true']).status === 0;
    if (!isPossible) return context.skip('This user may create no network, or ip is missing.');
    const service = startService({}, [...isolate, process.execPath, startFile], 'unshare');

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /PORT = 0\n.* lacks 127\.0\.0\.1, where the service listens: ip addr add/);
  });

  it('connects again to a database that ends its first connection, and is unhealthy while it is silent', async (context) => {
    const link = await openDatabaseLink(database().url);
    context.after(link.cut);
    link.breakNext();
    const service = startService({ DATABASE_URL: link.url });
    const address = await waitForAddress(service);
    await waitUntil('it is healthy', async () => (await fetch(`${address}/healthz`)).ok);
    const freezing = setInterval(link.freeze, 10);
    context.after(() => clearInterval(freezing));
    await waitUntil('it is unhealthy', async () => {
      const { status } = await fetch(`${address}/healthz`);
      return status === 503;
    });
    clearInterval(freezing);

    await waitUntil('it is healthy again', async () => (await fetch(`${address}/healthz`)).ok);
  });

  it('names the unavailable database, without its password', async () => {
    const address = `127.0.0.1:${await findFreePort()}/orders`;
    const service = startService({ DATABASE_URL: `postgres://someone:secret@${address}` });

    assert.equal(await service.ended, 1);
    assert.ok(service.stderr().startsWith(`The database ${address} is unavailable: `), service.stderr());
    assert.match(service.stderr(), /ECONNREFUSED.*\n.*DATABASE_URL/);
    assert.doesNotMatch(service.stderr() + service.stdout(), /secret/);
  });
});

/** Makes a folder in which every user may write. */
function makeOpenFolder(parent: string): string {
  const folder = join(parent, 'open');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  return folder;
}
