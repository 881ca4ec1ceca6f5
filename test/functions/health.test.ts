import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { watchHealth } from '../../functions/health.ts';
import { probeCapture } from '../../shared/capture/probe-capture.ts';
import { DatabaseUnavailableError } from '../../shared/errors.ts';
import { useDatabase } from '../support/database.ts';
import { openDatabaseLink } from '../support/database-link.ts';
import { serveFunction } from '../support/framework.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { waitUntil } from '../support/wait-until.ts';

const functions = ['capture', 'retry', 'replay', 'console', 'maintain'];

describe('GET /health', () => {
  const database = useDatabase();
  const serve = async (context: TestContext, name: string, url = database().url) => {
    const { url: address, stop } = await serveFunction(name, { DATABASE_URL: url, ROUTES: '[]' });
    context.after(stop);
    return {
      health: async () => {
        const response = await fetch(new URL('health', address));
        return { status: response.status, body: await response.json() };
      },
      post: (body?: string) => fetch(address, { method: 'POST', ...(body !== undefined && { body }) }),
    };
  };

  /** The functions run side by side: each waits for its own deadlines. */
  const ofEach = async (test: (name: string) => Promise<void>) => {
    await Promise.all(functions.map(test));
  };

  it('of each function answers without credentials, and that it is not well when the database is silent', async (context) => {
    await ofEach(async (name) => {
      const link = await openDatabaseLink(database().url);
      context.after(link.cut);
      const { health } = await serve(context, name, link.url);
      // The probe of a slow machine may take too long.
      await waitUntil(`${name} answers that it is well`, async () => (await health()).status === 200);
      // A result is used for a moment.
      await waitUntil(`${name} answers that it is not`, async () => {
        link.freeze();
        return (await health()).status === 503;
      });
    });
  });

  it('of capture fails from the first capture that is not stored to the next that can be', async (context) => {
    const { health, post } = await serve(context, 'capture');
    assert.equal((await post('a value')).status, 200);
    // As a full disk does.
    await database().sql(
      `create function refuse() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
    );
    await database().sql(
      'create trigger refuse before insert on dlq_events for each row execute function refuse()',
    );
    const refused = await post('another value');
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /"detail":"The disk of the database is full\. /);
    const reasons = ['captures are not stored: the disk of the database is full'];
    assert.deepEqual((await health()).body, { status: 'failing', reasons });
    await database().sql('drop trigger refuse on dlq_events');
    assert.equal((await post('another value')).status, 200);

    assert.deepEqual((await health()).body, { status: 'ok' });
  });

  it('of each function fails while another session keeps it out of dlq_events', async (context) => {
    const isPosted = (name: string) => name === 'capture' || name === 'retry';
    const served = new Map<string, Awaited<ReturnType<typeof serve>>>();
    await ofEach(async (name) => {
      const one = await serve(context, name);
      served.set(name, one);
      if (isPosted(name)) assert.equal((await one.post('a value')).status, 200, name);
    });
    const health = async (name: string) => (await served.get(name)?.health())?.status;
    const lock = 'lock table dlq_events in access exclusive mode';
    await whileTransactionIsOpen(database().url, lock, () =>
      ofEach(async (name) => {
        await waitUntil(`${name} says so`, async () => (await health(name)) === 503);
        if (isPosted(name)) assert.equal((await served.get(name)?.post('another value'))?.status, 503, name);
        assert.equal(await health(name), 503, name);
      }),
    );

    await ofEach((name) => waitUntil(`${name} is well again`, async () => (await health(name)) === 200));
  });

  it('of retry fails after a tick that could not work', async (context) => {
    const { health, post } = await serve(context, 'retry');
    const name = new URL(database().url).pathname.slice(1);
    await database().sql(`alter database ${name} set default_transaction_read_only = on`);
    assert.equal((await post()).status, 503);
    const reasons = ['ticks make no progress: the database is read-only'];
    assert.deepEqual((await health()).body, { status: 'failing', reasons });
  });
});

describe('the health of capture', () => {
  const database = useDatabase();

  it('is proven by an insert that is rolled back, once no capture has come for 10 s after a failure', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.now() });
    const probes: boolean[] = [];
    const { check, watch } = watchHealth('captures are not stored', database().db, async (db, hasFailed) => {
      probes.push(hasFailed);
      await probeCapture(db, hasFailed);
    });
    await watch(() => Promise.reject(new DatabaseUnavailableError(new Error('full')))).catch(() => {});
    assert.equal(await check(), 'captures are not stored');
    mock.timers.tick(10_000);

    assert.equal(await check(), undefined);
    assert.deepEqual(probes, [true]);
    assert.deepEqual(await database().sql('select from dlq_events'), []);
  });

  it('is known within a second while the database is silent', async ({ mock }) => {
    const { check } = watchHealth('captures are not stored', database().db, () => new Promise(() => {}));
    mock.timers.enable({ apis: ['setTimeout'] });
    const checking = check();
    mock.timers.tick(1000);

    assert.equal(await checking, 'captures are not stored');
  });

  it('is no longer proven by a capture that was stored a second ago', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.now() });
    const { check, watch } = watchHealth('captures are not stored', database().db, probeCapture);
    await watch(async () => {});
    const lock = 'lock table dlq_events in share mode';
    await whileTransactionIsOpen(database().url, lock, async () => {
      assert.equal(await check(), undefined);
      mock.timers.tick(1000);
      assert.equal(await check(), 'captures are not stored');
    });
  });

  it('is not affected by a locked row', async () => {
    const locked = Object.assign(new Error('lock timeout'), { code: '55P03' });
    const { check, watch } = watchHealth('captures are not stored', database().db, async () => {});
    await watch(() => Promise.reject(new DatabaseUnavailableError(locked))).catch(() => {});

    assert.equal(await check(), undefined);
  });
});
