import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSmokeTest } from '../../infra/smoke/smoke-test.ts';
import { useDatabase } from '../support/database.ts';
import { useFunction } from '../support/framework.ts';
import { useHttpTarget } from '../support/http-target.ts';

describe('the smoke test of a stack', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = () =>
    JSON.stringify([{ match: { eventType: 'order.*' }, target: { kind: 'http', url: target().url } }]);
  const env = () => ({ DATABASE_URL: database().url, LOCAL_CALLER: 'ann', ROUTES: routes() });
  const capture = useFunction('capture', env);
  const replay = useFunction('replay', env);
  const retry = useFunction('retry', env);

  /** gcloud, as far as the test calls it, in front of functions on this machine. */
  const gcloud = async (args: readonly string[]): Promise<string> => {
    const post = (url: string, body: object) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    if (args[0] === 'pubsub') {
      const optionOf = (option: string) =>
        args.find((arg) => arg.startsWith(option))?.slice(option.length) ?? '';
      const data = Buffer.from(optionOf('--message=')).toString('base64');
      const attributes = Object.fromEntries(
        optionOf('--attribute=')
          .split(',')
          .map((pair) => pair.split('=')),
      );
      const message = { data, attributes, messageId: attributes.event_id, publishTime: new Date() };
      await post(capture().url, { message, subscription: 'projects/acme/subscriptions/dlo-capture-push' });
    }
    if (args[0] === 'scheduler') await post(retry().url, {});
    return '';
  };
  const run = async (eventType: string, urls: object = {}, timeoutSeconds = 600) => {
    const steps: string[] = [];
    const outputs = {
      urls: { capture: capture().url, replay: replay().url.replace(/\/$/, ''), ...urls },
      captureTopic: 'projects/acme/topics/dlo-capture',
      next: { retryNow: 'gcloud scheduler jobs run dlo-retry --project=acme --location=us-central1' },
    };
    const report = (step: string) => steps.push(step);
    // In place of continuation messages.
    const working = setInterval(() => void workOnRuns(replay().url).catch(() => {}), 500);
    try {
      await runSmokeTest({ outputs, gcloud, report, timeoutSeconds }, eventType);
    } finally {
      clearInterval(working);
    }
    return steps;
  };

  it('captures, retries and replays two events', async () => {
    const steps = await run('order.smoke');
    assert.match(
      steps.join('\n'),
      /captured .*\ndelivered .*: SUCCEEDED, SUCCEEDED\nreplayed .*: SUCCEEDED, SUCCEEDED\ncleaned up/,
    );
    assert.equal(target().received.length, 4);
  });

  it('discards events that match no route', async () => {
    const steps = await run('');
    assert.equal(steps.at(-1), 'cleaned up: DISCARDED, DISCARDED');
    assert.equal(target().received.length, 0);
  });

  it('accepts a target that rejects the events', async () => {
    target().answer = (_request, response) => response.writeHead(422).end();
    const steps = await run('order.smoke');
    assert.equal(steps.at(-1), 'cleaned up: DISCARDED, DISCARDED');
  });

  it('reports what it waited for if no route matches', async () => {
    await assert.rejects(
      run('invoice.smoke', {}, 0),
      /Timed out after 0 s, before .* does a route match invoice\.smoke\?/,
    );
  });

  it('reports the answer of a capture that fails', async () => {
    await assert.rejects(run('', { capture: `${replay().url}events/0` }), /Capture answered 40\d/);
  });
});

async function workOnRuns(url: string): Promise<void> {
  const { items } = (await (await fetch(`${url}runs`)).json()) as { items: { id: string }[] };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"seconds": 5}' };
  for (const { id } of items) await fetch(`${url}runs/${id}/work`, init);
}
