import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { succeed, useCloud } from '../deployment.ts';
import { callService, gcloudAudience } from '../google/cloud-run/front.ts';
import { idTokenOf, tokenOf } from '../google/tokens.ts';
import type { Stack } from '../stack.ts';
import { waitFor } from '../wait-for.ts';

const deployer = 'user:ana@acme.example';
const reader = 'rita@acme.example';
const location = 'projects/acme-dev/locations/us-central1';
const queryAs = path.resolve(import.meta.dirname, '../query-as.ts');

/** A report of a consumer: docs/capture.md. */
function describeFailure(word: string) {
  return { eventType: `order.${word}`, eventId: word, payload: { order: word }, error: '503 from payments' };
}

/** A target of deliveries, which rejects a body with "reject" until it is repaired. */
function useTarget(certificate: () => { readonly cert: string; readonly key: string }) {
  const state = { url: '', received: [] as string[], authorized: [] as string[], isRepaired: false };
  let close = () => {};
  before(async () => {
    const server = createServer(certificate(), async (request, response) => {
      const body = (await buffer(request)).toString();
      state.received.push(body);
      state.authorized.push(request.headers.authorization ?? '');
      response.writeHead(body.includes('reject') && !state.isRepaired ? 422 : 200).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    state.url = `https://localhost:${(server.address() as AddressInfo).port}/orders`;
    close = () => server.close();
  });
  after(() => close());
  return state;
}

describe('the functions of a stack, as deployed', () => {
  const cloud = useCloud('acme-dev', deployer);
  const target = useTarget(() => cloud().certificate);
  let stack: Stack;
  let urls: Record<string, string>;

  before(async () => {
    stack = await cloud().stack('dev');
    await stack.set('routes[0].target.url', target.url);
    await stack.set('readers[0]', `user:${reader}`);
  });

  const query = <Row>(statement: string) => {
    const [instance] = cloud().sqlInstances.values();
    assert.ok(instance);
    return instance.query<Row>(statement, 'dlo');
  };
  const statusOf = async (type: string) =>
    (await query<{ status: string }>(`select status from dlq_events where event_type = '${type}'`)).map(
      ({ status }) => status,
    );
  const logs = () =>
    ['capture', 'retry', 'replay', 'console', 'maintain']
      .map((name) => cloud().instances.logOf(`${location}/services/dlo-${name}`))
      .join('\n');
  const waitForStatus = (type: string, status: string) =>
    waitFor(`${type} was ${status}`, async () => (await statusOf(type)).includes(status)).catch((error) =>
      assert.fail(`${error}\n${logs()}`),
    );
  const call = (member: string, url: string, init: { verb?: string; body?: object } = {}) =>
    callService(cloud().google, cloud().instances, {
      url,
      verb: init.verb ?? 'GET',
      headers: {
        authorization: `Bearer ${idTokenOf(member, gcloudAudience)}`,
        'content-type': 'application/json',
      },
      body: init.body && Buffer.from(JSON.stringify(init.body)),
      isInternal: false,
    });
  const askApi = async (address: string, body: object) => {
    const answer = await cloud().call(deployer, 'POST', address, body);
    assert.equal(answer.code, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  it('are deployed', async (t) => {
    await succeed(t, stack, 'up');
    urls = (await stack.output('urls')) as Record<string, string>;
  });

  it('capture a message that is pushed', async () => {
    const messages = ['accept', 'reject'].map((word) => ({
      data: Buffer.from(JSON.stringify({ order: word })).toString('base64'),
      attributes: { eventType: `order.${word}`, event_id: word },
    }));
    await askApi('pubsub.googleapis.com/v1/projects/acme-dev/topics/dlo-capture:publish', { messages });
    await waitForStatus('order.accept', 'PENDING');
    await waitForStatus('order.reject', 'PENDING');
  });

  it('capture a failure that an allowed caller sends', async () => {
    const billing = 'serviceAccount:billing@acme-dev.iam.gserviceaccount.com';
    const token = `Bearer ${idTokenOf(billing, new URL(urls.capture ?? '').origin)}`;
    const send = (authorization: string) =>
      callService(cloud().google, cloud().instances, {
        url: urls.capture ?? '',
        verb: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(describeFailure('direct'))),
        isInternal: false,
      });
    const answer = await send(token);
    assert.equal(answer.status, 200, await answer.text());
    assert.equal((await send(`Bearer ${idTokenOf('user:eve@acme.example', gcloudAudience)}`)).status, 403);
    await waitForStatus('order.direct', 'PENDING');
  });

  it('retry by schedule, with an identity token for the target', async () => {
    const { status } = await askApi(`cloudscheduler.googleapis.com/v1/${location}/jobs/dlo-retry:run`, {});
    assert.deepEqual(status, { code: 0 }, logs());
    await waitForStatus('order.accept', 'SUCCEEDED');
    await waitForStatus('order.reject', 'FAILED_PERMANENTLY');
    await waitForStatus('order.direct', 'SUCCEEDED');
    assert.ok(target.received.some((body) => JSON.parse(body).order === 'accept'));
    assert.match(target.authorized[0] ?? '', /^Bearer ey/);
  });

  it('admit no caller from outside to the schedule', async () => {
    assert.equal((await call(deployer, urls.retry ?? '', { verb: 'POST' })).status, 404);
  });

  it('replay for an operator, by a name that the audit keeps', async () => {
    target.isRepaired = true;
    const answer = await call(deployer, `${urls.replay}/runs`, {
      verb: 'POST',
      body: { filter: { eventType: 'order.reject' }, reason: 'repaired' },
    });
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}\n${logs()}`);
    await waitForStatus('order.reject', 'SUCCEEDED');
    const actors = await query('select distinct actor from dlq_audit');
    assert.deepEqual(actors, [{ actor: 'ana@acme.example' }]);
  });

  it('show the console to an invited user only', async () => {
    const page = await call(deployer, `${urls.console}/events`);
    assert.equal(page.status, 200, logs());
    assert.match(await page.text(), /order\.reject/);
    assert.equal((await call('user:eve@acme.example', `${urls.console}/events`)).status, 403);
  });

  it('maintain their database, and log their metrics', async () => {
    for (const job of ['dlo-archive', 'dlo-metrics']) {
      const { status } = await askApi(`cloudscheduler.googleapis.com/v1/${location}/jobs/${job}:run`, {});
      assert.deepEqual(status, { code: 0 }, logs());
    }
    assert.match(cloud().instances.logOf(`${location}/services/dlo-maintain`), /"action":"metrics"/);
  });

  it('are beside a database that a reader may read with SQL, and not change', async () => {
    const { openDatabase = '', readDatabase = '' } = (await stack.output('next')) as Record<string, string>;
    const [instance = '', database = ''] = [
      openDatabase.split(' ').at(-1),
      /-d (\S+)/.exec(readDatabase)?.[1],
    ];
    const env = { ...process.env, ...cloud().env, GOOGLE_OAUTH_ACCESS_TOKEN: tokenOf(`user:${reader}`) };
    const run = (statement: string) => {
      const args = [queryAs, instance, reader, database, statement];
      return promisify(execFile)(process.execPath, args, { env });
    };
    const { stdout } = await run("select status from dlq_events where event_type = 'order.accept'");
    assert.deepEqual(JSON.parse(stdout), [{ status: 'SUCCEEDED' }]);
    await assert.rejects(run('delete from dlq_events'), /permission denied for table dlq_events/);
  });

  it('log no missing permission', () => {
    assert.doesNotMatch(logs(), /permission denied|PERMISSION_DENIED/i);
  });
});
