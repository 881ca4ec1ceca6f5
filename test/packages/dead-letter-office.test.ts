import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { isAlive, listDescendants } from '../local/process-table.ts';
import { type ServiceProcess, useServices, waitForAddress } from '../local/service-process.ts';
import { useDatabase } from '../support/database.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { itCanBePublished } from '../support/it-can-be-published.ts';
import { isItsTurn } from '../support/taken-in-turn.ts';
import { waitUntil } from '../support/wait-until.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const packageFolder = path.join(root, 'packages/dead-letter-office');

/** Uses each function of a service once, stops it by Ctrl-C, and expects that nothing of it is left. */
async function useOnce(service: ServiceProcess): Promise<void> {
  const url = await waitForAddress(service);
  const family = listDescendants(service.pid);
  await waitUntil('it is healthy', async () => (await fetch(`${url}/healthz`)).ok);
  const capture = () => fetch(`${url}/capture`, { method: 'POST', body: '{"orderId": 4711}' });
  let captured = await capture();
  // A busy machine may ask for the same request again.
  while (captured.status === 503) captured = await capture();
  const { events } = (await captured.json()) as { events: readonly [{ id: string }] };
  for (const page of [`/console/events/${events[0].id}`, '/console/runs', '/maintain/metrics']) {
    const { status } = await fetch(url + page);
    assert.equal(status, 200, page);
  }
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ filter: { ids: [events[0].id] }, reason: 'a test' });
  const created = await fetch(`${url}/replay/runs`, { method: 'POST', headers: json, body });
  const { id } = (await created.json()) as { id: string };
  await waitUntil('the replay ends', async () => {
    const run = (await (await fetch(`${url}/replay/runs/${id}`)).json()) as { state: string };
    return run.state === 'ended';
  });
  service.child.kill('SIGINT');
  assert.equal(await service.ended, 0, service.stderr());
  assert.equal(service.stderr(), '');
  assert.doesNotMatch(service.stdout(), /Worker request failed/);
  await waitUntil('every process ends', () => family.every((pid) => !isAlive(pid)));
}

describe('the built package of npx', { skip: !isItsTurn('dead-letter-office') }, () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = () => JSON.stringify([{ target: { kind: 'http', url: target().url } }]);
  const { startService } = useServices();
  before(async () => {
    await run(process.execPath, ['build.ts'], { cwd: packageFolder });
  });

  it('runs every function, and Ctrl-C stops it', async () => {
    const env = { DATABASE_URL: database().url, ROUTES: routes() };
    await useOnce(startService(env, [path.join(packageFolder, 'dist/start.js')]));
    assert.equal(target().received.length, 1);
  });
});

describe('the package of npx, installed from its archive', {
  skip: process.env.TEST_ALL === undefined,
}, () => {
  let folder = '';
  const target = useHttpTarget();
  const routes = () => JSON.stringify([{ target: { kind: 'http', url: target().url } }]);
  const { startService, dataFolder } = useServices();
  const installed = () => path.join(folder, 'node_modules/dead-letter-office');
  before(async () => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'npx-'));
    // PostgreSQL does not run as root: its own user must be able to enter the folder.
    chmodSync(folder, 0o711);
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: packageFolder,
    });
    const archive = path.join(folder, stdout.trim().split('\n').at(-1) ?? '');
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', archive];
    await run('npm', install, { cwd: folder });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has at most 200 MB, and none of the packages of the repository', async () => {
    const names = await readdir(path.join(folder, 'node_modules'));
    assert.ok(names.length < 30, String(names));
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map(async (file) => (await stat(path.join(file.parentPath, file.name))).size);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < 200 * 2 ** 20, `${bytes} bytes`);
  });

  it('runs every function on a PostgreSQL of its own, and Ctrl-C leaves no process', async () => {
    const service = startService({ ROUTES: routes() }, [path.join(installed(), 'dist/start.js')]);
    await useOnce(service);
    assert.ok(service.stdout().includes(`data in ${dataFolder}`), service.stdout());
  });

  it('begins with empty data after reset', async () => {
    const reset = startService({}, [path.join(installed(), 'dist/start.js'), 'reset']);
    assert.equal(await reset.ended, 0);
    assert.match(
      reset.stdout(),
      /^Deleted .*: the next npx dead-letter-office begins with an empty database\.\n$/,
    );
  });

  it('runs every function on the oldest Node.js that it names', {
    skip: process.platform !== 'linux',
  }, async () => {
    const { engines } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8'));
    const name = `node-linux-${process.arch}`;
    await run('npm', ['install', '--no-save', '--no-audit', `${name}@${engines.node.replace('>=', '')}`], {
      cwd: folder,
    });
    const node = path.join(folder, 'node_modules', name, 'bin/node');
    await useOnce(startService({ ROUTES: routes() }, [path.join(installed(), 'dist/start.js')], node));
  });

  it('says where it cannot create a PostgreSQL: in a folder whose name a shell changes', async () => {
    const elsewhere = `${folder} $HOME`;
    renameSync(folder, elsewhere);
    const start = path.join(elsewhere, 'node_modules/dead-letter-office/dist/start.js');
    const service = startService({ DATA_DIR: path.join(dataFolder, '../other') }, [start]);
    const code = await service.ended;
    renameSync(elsewhere, folder);

    assert.equal(code, 1);
    assert.match(service.stderr(), /^PostgreSQL ended with exit code 1\. .* in the path of this program/);
  });

  itCanBePublished('dead-letter-office');
});
