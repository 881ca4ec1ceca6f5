import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it, type TestContext } from 'node:test';
import { buildBundle } from '../../../infra/bundle/build-bundle.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import { useDatabase } from '../../support/database.ts';
import { exampleSettings } from '../../support/deployment-program.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import {
  type InstalledBundle,
  installBundle,
  linkBundle,
  type Started,
  startInstalled,
} from '../../support/installed-bundle.ts';
import { useLogins } from '../../support/logins.ts';
import { useMetadataServer } from '../../support/metadata-server.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { itTriesOne, pickVariant } from '../../support/sample.ts';
import { waitUntil } from '../../support/wait-until.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const names = planFunctions(exampleSettings('prod')).map(({ entryPoint }) => entryPoint);

/** The expensive checks, one in some runs: only another version or another bundler changes their result. */
const checks = pickVariant('bundle', ['npm ci', 'another build', 'neither', 'neither']);

describe('the bundle, installed as the buildpack does', () => {
  let bundle: InstalledBundle;
  before(async () => {
    bundle = await (checks.includes('npm ci') ? installBundle() : linkBundle());
  });
  after(() => bundle.remove());
  const read = (file: string) => readFile(path.join(bundle.folder, file), 'utf8');
  const listFiles = (pattern: string) =>
    globSync(pattern, { cwd: bundle.folder }).filter((file) => !file.startsWith('node_modules'));

  if (checks.includes('another build')) {
    it('is the same, byte for byte, in every folder that it is built in', async () => {
      const home = await mkdtemp(path.join(tmpdir(), 'dlo-build-'));
      const copy = path.join(home, 'same/a/deeper/folder');
      for (const each of ['functions', 'shared', 'package.json', 'package-lock.json']) {
        await cp(path.join(root, each), path.join(copy, each), { recursive: true });
      }
      await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
      const { hash } = await buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
      await rm(home, { recursive: true });
      assert.equal(hash, bundle.hash);
    });
  }

  it('requires only files of the bundle, installed packages and modules of Node.js', async () => {
    const { dependencies } = JSON.parse(await read('package.json'));
    const missing = new Set<string>();
    for (const file of listFiles('**/*.cjs')) {
      for (const [, name = ''] of (await read(file)).matchAll(/\b(?:__)?require\("([^"]+)"\)/g)) {
        const isThere = await stat(path.join(bundle.folder, path.dirname(file), name)).catch(() => undefined);
        if (!isBuiltin(name) && !isThere && !(name in dependencies)) missing.add(name);
      }
    }
    // The C++ driver that pg loads on request, and optional packages of the Cloud Storage client.
    assert.deepEqual([...missing].sort(), ['encoding', 'pg-native', 'supports-color']);
  });

  it('contains nothing that the buildpack would run, remove or fail to find', async () => {
    const { main, ...manifest } = JSON.parse(await read('package.json'));
    assert.deepEqual(Object.keys(manifest), ['name', 'private', 'dependencies']);
    assert.ok(listFiles('*').includes(main));
  });

  it('installs only the framework, in the version of this repository', async () => {
    const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
    const { dependencies } = JSON.parse(await read('package.json'));
    const version = (name: string) => packages[`node_modules/${name}`].version;
    assert.deepEqual(dependencies, {
      '@google-cloud/functions-framework': version('@google-cloud/functions-framework'),
    });
    assert.doesNotMatch(await read('package-lock.json'), /"resolved"/);
  });

  const database = useDatabase();
  const target = useHttpTarget();
  const metadata = useMetadataServer();
  const pubsub = usePubSubTarget();
  const aLogin = useLogins(() => database().url);
  let started: Started | undefined;
  afterEach(() => started?.stop());

  const start = async (name: string, env: Record<string, string | undefined> = {}): Promise<Started> => {
    const all = Object.entries({ DATABASE_URL: database().url, LOCAL_CALLER: 'ann', ...env });
    const set = all.filter((pair): pair is [string, string] => pair[1] !== undefined);
    started = await startInstalled(bundle.folder, name, Object.fromEntries(set));
    return started;
  };
  const ask = async ({ url, output }: Started, request: RequestInit = {}): Promise<Response> => {
    // A request that is refused costs more processor time than a connection.
    const isListening = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      });
    await waitUntil('the function listens', isListening).catch((error) =>
      assert.fail(`${error}\n${output()}`),
    );
    return fetch(url, request);
  };
  const post = async (name: string, body: object, env = {}): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(await start(name, env), { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, started?.output());
    return answer.json();
  };
  const statusOf = async (id: string) =>
    (await database().sql('select status from dlq_events where id = $1', [id]))[0]?.status;

  /** Asks for pages or operations, whose statements and assets must be there. */
  const assertServes = async ({ url, output }: Started, paths: readonly string[]) => {
    for (const each of paths) assert.equal((await fetch(url + each)).status, 200, each);
    assert.equal((await fetch(`${url}events/999`)).status, 404, output());
  };
  const pages = ['groups', 'events', 'events/archive', 'events/reopen?q=id:9', 'runs', 'runs/new?q=id:9'];

  it('serves its functions and their pages, and loads no package at its start', async () => {
    const listLoaded = path.join(root, 'bench/cold-start/list-loaded.ts');
    for (const name of pickVariant('function of the bundle', names)) {
      const running = await start(name, { NODE_OPTIONS: `--import=${listLoaded}` });
      const { status } = await ask(running);
      assert.ok([200, 404, 405].includes(status), `${name}: ${status} ${running.output()}`);
      if (name === 'console') await assertServes(running, [...pages, 'targets']);
      await running.stop('SIGTERM');
      const loaded = JSON.parse(running.output().split('\n').at(-1) ?? '') as string[];
      assert.ok(loaded.includes(path.join(bundle.folder, `${name}.cjs`)), name);
      // The console answers with pages, from the database.
      const packages = loaded.filter((file) => file.includes('/packages/'));
      assert.deepEqual(
        packages.map((file) => path.basename(file)),
        name === 'console' ? ['pg.cjs'] : [],
      );
    }
  });

  // Each starts a process of its own.
  itTriesOne('walk', {
    'redelivers an event over HTTP with an identity token': async () => {
      const id = await anEvent(database(), { event_type: 'http' });
      const route = {
        match: { eventType: 'http' },
        target: { kind: 'http', url: target().url, audience: 'shop' },
      };
      await post('retry', {}, { ROUTES: JSON.stringify([route]), ...googleEnvironment() });
      assert.deepEqual([await statusOf(id), metadata().audiences], ['SUCCEEDED', ['shop']]);
      assert.match(target().received[0]?.headers.authorization ?? '', /^Bearer /);
    },

    'redelivers an event to a Pub/Sub topic': async () => {
      const id = await anEvent(database(), { event_type: 'topic' });
      const route = { match: { eventType: 'topic' }, target: { kind: 'pubsub', topic: pubsub().topic } };
      await post('retry', {}, { ROUTES: JSON.stringify([route]), ...googleEnvironment() });
      assert.deepEqual([await statusOf(id), pubsub().messages().length], ['SUCCEEDED', 1]);
    },

    'serves every operation, and requests a worker for a replay': async () => {
      const id = await anEvent(database(), { event_type: 'topic' });
      const routes = JSON.stringify([{ target: { kind: 'http', url: target().url } }]);
      const env = { ROUTES: routes, CONTINUE_TOPIC: pubsub().topic, ...googleEnvironment() };
      const running = await start('replay', env);
      await ask(running);
      await assertServes(running, ['events', 'runs', 'audit', 'openapi.json']);
      const body = JSON.stringify({ filter: { ids: [id] }, reason: 'mended' });
      const headers = { 'content-type': 'application/json' };
      const created = await fetch(`${running.url}runs`, { method: 'POST', headers, body });
      const { id: runId } = (await created.json()) as { id: string };
      assert.equal(created.status, 201, running.output());
      const [request] = pubsub().messages();
      assert.deepEqual(JSON.parse(request?.data.toString() ?? ''), { runId });
    },

    'captures a malformed body byte for byte, through the connector of Cloud SQL': async (
      context: TestContext,
    ) => {
      const { user, url } = await aLogin('in role dlq_capture');
      const cloudSql = await startCloudSql(user, url);
      context.after(cloudSql.stop);
      const { instance: INSTANCE_CONNECTION_NAME, database: DB_NAME, env } = cloudSql;
      const location = { DATABASE_URL: undefined, INSTANCE_CONNECTION_NAME, DB_NAME, DB_USER: user };
      const body = '{"orderId": 1, "note": "cut o';
      const running = await start('capture', { ...env, ...location });
      const answer = await ask(running, { method: 'POST', body });
      assert.equal(answer.status, 200, running.output());
      const latest = await database().sql('select payload from dlq_events order by id desc limit 1');
      assert.deepEqual(latest, [{ payload: body }]);
    },
  });
});

/** The variables that lead clients of Google Cloud to the stand-ins. */
function googleEnvironment(): Record<string, string | undefined> {
  const { GCE_METADATA_HOST, METADATA_SERVER_DETECTION, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT } =
    process.env;
  return { GCE_METADATA_HOST, METADATA_SERVER_DETECTION, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT };
}
