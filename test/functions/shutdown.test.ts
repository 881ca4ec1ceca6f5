import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import { runTick, type TickDone } from '../../shared/schedule/run-tick.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent, manyEvents } from '../support/factories.ts';
import { type ServedFunction, serveFunction } from '../support/framework.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../support/routes.ts';
import { itTriesOne } from '../support/sample.ts';
import { waitUntil } from '../support/wait-until.ts';

/**
 * A process whose SIGTERM arrives while its first request begins: Node.js has the signal, and calls no
 * listener yet.
 */
const terminatedEarly = `
  import { channel } from 'node:diagnostics_channel';
  import { createServer } from 'node:http';
  import { finishBeforeExit } from '${new URL('../../functions/shutdown.ts', import.meta.url).href}';
  process.on('SIGTERM', () => process.exit(1));
  finishBeforeExit();
  const server = createServer().listen(0, '127.0.0.1', () => {
    process.kill(process.pid, 'SIGTERM');
    channel('http.server.request.start').publish({ server });
    setTimeout(() => process.exit(2), 30_000);
  });
`;

describe('a SIGTERM', () => {
  it('that arrives with the first request ends the function', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', terminatedEarly]);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});

describe('a function that receives SIGTERM', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  /** Half of the concurrency is in flight until the target answers. */
  const serve = async (context: TestContext, name: string, policy: object = { concurrency: 20 }) => {
    const route = { target: { kind: 'http', url: target().url }, policy };
    const served = await serveFunction(name, {
      DATABASE_URL: database().url,
      ROUTES: JSON.stringify([route]),
      LEASE_SECONDS: '900',
    });
    context.after(served.stop);
    return served;
  };
  const terminate = ({ child }: ServedFunction) => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    return exit;
  };
  const tick = ({ url }: ServedFunction) => fetch(url, { method: 'POST' });
  const states = () =>
    database().sql(
      'select status, retry_count, count(*)::int as events from dlq_events group by 1, 2 order by 1, 2',
    );
  const outcomes = async () =>
    (await database().sql<{ outcome: string }>('select outcome from dlq_attempts')).map(
      ({ outcome }) => outcome,
    );
  const isHandedBack = async () => (await states()).some(({ status }) => status === 'PENDING');

  // Each starts processes of its own.
  itTriesOne('SIGTERM', {
    'settles what is in flight, releases the rest at no cost, frees its slot, answers and exits': async (
      context,
    ) => {
      await manyEvents(database(), 30);
      const worker = await serve(context, 'retry');
      const held: ServerResponse[] = [];
      target().answer = (_, response) => void held.push(response);
      const ticking = tick(worker);
      await waitUntil('ten are in flight', () => held.length === 10);
      const exit = terminate(worker);
      await waitUntil('the rest is released', isHandedBack);
      for (const response of held) response.end();

      const { stopped, tally } = (await (await ticking).json()) as TickDone;
      assert.deepEqual([stopped, tally.delivered, tally.released], ['shutdown', 10, 20]);
      assert.deepEqual(await exit, [0, null]);
      assert.deepEqual(await states(), [
        { status: 'PENDING', retry_count: 0, events: 20 },
        { status: 'SUCCEEDED', retry_count: 0, events: 10 },
      ]);
      assert.equal((await outcomes()).length, 10);
      target().answer = (_, response) => response.end();
      const routes = [aRouteTo(target().url)];
      const next = await runTick({ db: database().db, routes, retry: retryConfig() });
      assert.deepEqual([next.tally.delivered, next.tally.lost], [20, 0]);
    },

    'gives up deliveries that get no answer, records them as ambiguous, and exits': async (context) => {
      await manyEvents(database(), 3);
      // Exits long before the target would be given up.
      const worker = await serve(context, 'retry', { concurrency: 4, timeoutSeconds: 600 });
      target().answer = () => {};
      const ticking = tick(worker);
      await waitUntil('two are in flight', () => target().received.length === 2);
      const exit = terminate(worker);

      assert.equal((await ticking).status, 200);
      assert.deepEqual(await exit, [0, null]);
      assert.deepEqual(await states(), [
        { status: 'PENDING', retry_count: 0, events: 1 },
        { status: 'PENDING', retry_count: 1, events: 2 },
      ]);
      assert.deepEqual(await outcomes(), ['ambiguous', 'ambiguous']);
    },

    'answers the captures that it has received, and exits': async (context) => {
      const served = await serve(context, 'capture');
      await anEvent(database(), { event_id: 'order 1' });
      const body = JSON.stringify({ eventType: 'order', eventId: 'order 2', error: 'failed', payload: {} });
      const send = () =>
        fetch(served.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      assert.equal((await send()).status, 200);
      const capturing: Promise<Response>[] = [];
      const exits: Promise<unknown>[] = [];
      const lock = `select from dlq_events where event_id = 'order 2' for update`;
      await whileTransactionIsOpen(database().url, lock, async () => {
        capturing.push(send());
        await waitUntil('it waits for the row', async () => {
          const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
          return (await database().sql(waiting)).length === 1;
        });
        exits.push(terminate(served));
      });

      assert.equal((await capturing[0])?.status, 200);
      assert.deepEqual(await exits[0], [0, null]);
    },

    'exits at once if nothing is in flight, and long before one that waits for a target': async (context) => {
      await manyEvents(database(), 1);
      const [idle, busy] = [await serve(context, 'capture'), await serve(context, 'retry')];
      target().answer = () => {};
      await fetch(idle.url, { method: 'POST', body: 'a message' });
      const ticking = tick(busy);
      await waitUntil('one is in flight', () => target().received.length > 0);
      const exits: string[] = [];
      const busyExit = terminate(busy).finally(() => exits.push('busy'));
      assert.deepEqual(await terminate(idle).finally(() => exits.push('idle')), [0, null]);

      await Promise.all([ticking, busyExit]);
      assert.deepEqual(exits, ['idle', 'busy']);
    },
  });
});
