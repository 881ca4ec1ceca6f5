import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { watchHealth } from '../../functions/health.ts';
import { probeCapture } from '../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { DatabaseUnavailableError } from '../../shared/errors.ts';
import { useDatabase } from '../support/database.ts';
import { type DatabaseLink, openDatabaseLink } from '../support/database-link.ts';
import { serveFunction } from '../support/framework.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { pickVariant } from '../support/sample.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Capture, and another one. */
const functions = ['capture', ...pickVariant('health', ['retry', 'replay', 'console', 'maintain'])];

type Served = {
  readonly name: string;
  readonly link: DatabaseLink;
  readonly health: () => Promise<{ readonly status: number; readonly body: unknown }>;
  readonly post: (body?: string) => Promise<Response>;
};

describe('GET /health', () => {
  const database = useDatabase();
  const stops: (() => Promise<unknown>)[] = [];
  after(() => Promise.all(stops.map((stop) => stop())));
  const serve = async (name: string): Promise<Served> => {
    const link = await openDatabaseLink(database().url);
    const { url, stop } = await serveFunction(name, { DATABASE_URL: link.url, ROUTES: '[]' });
    stops.push(link.cut, stop);
    return {
      name,
      link,
      health: async () => {
        const response = await fetch(new URL('health', url));
        return { status: response.status, body: await response.json() };
      },
      post: (body?: string) => fetch(url, { method: 'POST', ...(body !== undefined && { body }) }),
    };
  };
  let served: readonly Served[];
  before(async () => {
    served = await Promise.all(functions.map(serve));
  });

  /** The functions work side by side: each waits for its own deadlines. */
  const ofEach = async (test: (one: Served) => Promise<void>) => {
    await Promise.all(served.map(test));
  };

  it('of capture fails from the first capture that is not stored to the next that can be', async () => {
    const [{ health, post } = assert.fail()] = served;
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

  it('of each function fails while another session keeps it out of dlq_events', async () => {
    const isPosted = ({ name }: Served) => name === 'capture' || name === 'retry';
    const isWell = async ({ health }: Served) => (await health()).status === 200;
    await ofEach(async (one) => {
      if (isPosted(one)) assert.equal((await one.post('a value')).status, 200, one.name);
    });
    const lock = 'lock table dlq_events in access exclusive mode';
    await whileTransactionIsOpen(database().url, lock, () =>
      ofEach(async (one) => {
        await waitUntil(`${one.name} says so`, async () => !(await isWell(one)));
        if (isPosted(one)) assert.equal((await one.post('another value')).status, 503, one.name);
        assert.equal((await one.health()).status, 503, one.name);
      }),
    );

    await ofEach((one) => waitUntil(`${one.name} is well again`, () => isWell(one)));
  });

  it('of each function answers without credentials that it is well, and not while the database is silent', async () => {
    await ofEach(async ({ name, health, link }) => {
      // The probe of a slow machine may take too long.
      await waitUntil(`${name} answers that it is well`, async () => (await health()).status === 200);
      // A result is used for a moment.
      await waitUntil(`${name} answers that it is not`, async () => {
        link.freeze();
        return (await health()).status === 503;
      });
    });
  });

  it('of retry fails after a tick that could not work', async () => {
    const { health, post } = await serve('retry');
    const name = new URL(database().url).pathname.slice(1);
    await database().sql(`alter database ${name} set default_transaction_read_only = on`);
    assert.equal((await post()).status, 503);
    const reasons = ['ticks make no progress: the database is read-only'];
    assert.deepEqual((await health()).body, { status: 'failing', reasons });
  });
});

describe('the health of capture', () => {
  const database = useDatabase();
  const opened: Database[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((db) => db.close())));
  /** Its connections live no longer than the timers of the test, which would not end idle ones that are older. */
  const openOwn = () => {
    const db = openDatabase({ kind: 'url', url: database().url, poolMax: 2 }, 'test');
    opened.push(db);
    return db;
  };

  it('is proven by an insert that is rolled back, once no capture has come for 10 s after a failure', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.now() });
    const probes: boolean[] = [];
    const { check, watch } = watchHealth('captures are not stored', openOwn(), async (db, hasFailed) => {
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
    const { check } = watchHealth('captures are not stored', openOwn(), () => new Promise(() => {}));
    mock.timers.enable({ apis: ['setTimeout'] });
    const checking = check();
    mock.timers.tick(1000);

    assert.equal(await checking, 'captures are not stored');
  });

  it('is no longer proven by a capture that was stored a second ago', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.now() });
    const { check, watch } = watchHealth('captures are not stored', openOwn(), probeCapture);
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
    const { check, watch } = watchHealth('captures are not stored', openOwn(), async () => {});
    await watch(() => Promise.reject(new DatabaseUnavailableError(locked))).catch(() => {});

    assert.equal(await check(), undefined);
  });
});
