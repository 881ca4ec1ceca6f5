import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import {
  type InstalledBundle,
  installBundle,
  type Started,
  startInstalled,
} from '../../support/installed-bundle.ts';
import { useLogins } from '../../support/logins.ts';
import { useMetadataServer } from '../../support/metadata-server.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the bundle, installed as the buildpack does', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const metadata = useMetadataServer();
  const pubsub = usePubSubTarget();
  const aLogin = useLogins(() => database().url);
  let bundle: InstalledBundle;
  let started: Started | undefined;
  before(async () => {
    bundle = await installBundle();
  });
  afterEach(() => started?.stop());
  after(() => bundle.remove());

  const start = async (name: string, env: Record<string, string | undefined> = {}): Promise<Started> => {
    const own = { DATABASE_URL: database().url, LOCAL_CALLER: 'ann' };
    const environment = Object.entries({ ...own, ...env });
    const set = environment.filter((pair): pair is [string, string] => pair[1] !== undefined);
    started = await startInstalled(bundle.folder, name, Object.fromEntries(set));
    return started;
  };
  const ask = async (
    { url, output }: Pick<Started, 'url' | 'output'>,
    request: RequestInit,
  ): Promise<Response> => {
    let answer: Response | undefined;
    await waitUntil('the function answered', async () => {
      answer = await fetch(url, request).catch(() => undefined);
      return answer !== undefined;
    }).catch((error) => assert.fail(`${error}\n${output()}`));
    return answer as Response;
  };
  const post = async (name: string, body: object, env = {}): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(await start(name, env), { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, started?.output());
    return answer.json();
  };
  const statusOf = async (id: string) =>
    (await database().sql('select status from dlq_events where id = $1', [id]))[0]?.status;

  it('serves every function', async () => {
    const files = globSync('*/*.cjs', { cwd: bundle.folder });
    const names = files
      .map((file) => path.dirname(file))
      .filter((name) => files.includes(`${name}/${name}.cjs`));
    const wrong: string[] = [];
    for (const name of [...new Set(names)].sort()) {
      const { status } = await ask(await start(name), { method: 'GET' });
      if (status !== 200 && status !== 405) wrong.push(`${name}: ${status} ${started?.output()}`);
      await started?.stop();
    }
    assert.deepEqual([files.length > 0, wrong], [true, []]);
  });

  it('loads the code of each page and operation with its first request', async () => {
    const pages = [
      '',
      'groups',
      'events',
      'events/archive',
      'events/reopen?q=id:9',
      'runs',
      'runs/new?q=id:9',
      'targets',
    ];
    const resources = ['events', 'runs', 'audit', 'openapi.json'];
    for (const [name, paths] of Object.entries({ console: pages, replay: resources })) {
      const { url, output } = await start(name);
      await ask({ url, output }, {});
      for (const path of paths) assert.equal((await fetch(url + path)).status, 200, path + output());
      assert.equal((await fetch(`${url}events/999`)).status, 404, output());
      await started?.stop();
    }
  });

  it('captures a malformed body byte for byte', async () => {
    const body = '{"orderId": 1, "note": "cut o';
    const answer = await ask(await start('capture'), { method: 'POST', body });
    assert.equal(answer.status, 200);
    const [event] = await database().sql<{ body: Buffer }>(
      'select body from dlq_events order by id desc limit 1',
    );
    assert.equal(event?.body.toString(), body);
  });

  it('redelivers an event over HTTP with an identity token', async () => {
    const id = await anEvent(database(), { event_type: 'http' });
    const route = {
      match: { eventType: 'http' },
      target: { kind: 'http', url: target().url, audience: 'shop' },
    };
    await post('retry', {}, { ROUTES: JSON.stringify([route]), ...googleEnvironment() });
    assert.deepEqual([await statusOf(id), metadata().audiences], ['SUCCEEDED', ['shop']]);
    assert.match(target().received[0]?.headers.authorization ?? '', /^Bearer /);
  });

  it('redelivers an event to a Pub/Sub topic', async () => {
    const id = await anEvent(database(), { event_type: 'topic' });
    const route = { match: { eventType: 'topic' }, target: { kind: 'pubsub', topic: pubsub().topic } };
    await post('replay', { ids: [id] }, { ROUTES: JSON.stringify([route]), ...googleEnvironment() });
    assert.deepEqual([await statusOf(id), pubsub().messages().length], ['SUCCEEDED', 1]);
  });

  it('logs in to Cloud SQL through the connector, without a password', async (context) => {
    const { user, url } = await aLogin('in role dlq_capture');
    const cloudSql = await startCloudSql(user, url);
    context.after(cloudSql.stop);
    const { instance: INSTANCE_CONNECTION_NAME, database: DB_NAME, env } = cloudSql;
    const location = { DATABASE_URL: undefined, INSTANCE_CONNECTION_NAME, DB_NAME, DB_USER: user };
    const { events } = (await post('capture', { orderId: 7 }, { ...env, ...location })) as {
      events: unknown[];
    };
    assert.equal(events.length, 1);
  });

  it('reports all invalid settings and does not start', async () => {
    const { output } = await start('retry', { BATCH_SIZE: 'many', LEASE_SECONDS: '1' });
    await waitUntil('the process reported its settings', () => output().includes('2 problems'));
    assert.match(output(), /BATCH_SIZE[\s\S]+LEASE_SECONDS/);
  });
});

/** The variables that lead clients of Google Cloud to the stand-ins. */
function googleEnvironment(): Record<string, string | undefined> {
  const { GCE_METADATA_HOST, METADATA_SERVER_DETECTION, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT } =
    process.env;
  return { GCE_METADATA_HOST, METADATA_SERVER_DETECTION, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT };
}
