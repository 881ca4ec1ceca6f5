import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import type { Listen } from '../../../shared/database/listen.ts';
import { useBrowser } from '../../support/browser.ts';
import { aCapture } from '../../support/captures.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('console notifications', () => {
  const database = useDatabase();
  let notifying: Database & { listen: Listen };
  before(() => {
    notifying = openDatabase({ kind: 'url', url: database().url, poolMax: 3, notify: true }, 'notifications');
  });
  after(() => notifying.close());
  const served = useConsole(database, { listen: (channel, listener) => notifying.listen(channel, listener) });
  const silent = useConsole(database);
  const openTab = useBrowser();

  let captured = 0;
  const capture = () =>
    storeCaptures({ db: notifying, repeatSeconds: 600 }, [aCapture({ eventKey: `id:${++captured}` })]);
  const countListeners = async () => {
    const [row] = await database().sql(
      `select count(*)::int as n from pg_stat_activity where query = 'listen "dlq_events"' and datname = current_database()`,
    );
    return row?.n;
  };

  it('an open page shows a captured event without polling', async () => {
    const { page, browserErrors } = await openTab();
    // The page's clock stands still, so that it does not poll.
    await page.clock.install();
    await page.goto(served().url);
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await capture();

    await page.getByText('order.created').first().waitFor();
    assert.deepEqual(browserErrors, []);
    await page.close();
  });

  it('one database connection listens for all open pages and stops with the last one', async () => {
    const connect = async () => {
      const reader = (await fetch(`${served().url}/notifications`)).body?.getReader();
      assert.ok(reader);
      return reader;
    };
    const readers = [await connect(), await connect()];
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await capture();
    for (const reader of readers)
      assert.match(Buffer.from((await reader.read()).value ?? []).toString(), /^data:/);
    await Promise.all(readers.map((reader) => reader.cancel()));

    await waitUntil('the listeners are 0', async () => (await countListeners()) === 0);
  });

  it('the stream ends when the database connection breaks, and a new request listens again', async () => {
    const cut = await fetch(`${served().url}/notifications`);
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await database().sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen "dlq_events"' and datname = current_database()`,
    );
    assert.equal(await cut.text(), '');
    const again = (await fetch(`${served().url}/notifications`)).body?.getReader();
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await again?.cancel();
  });

  it('the stream does not exist without notifications of the database', async () => {
    assert.equal((await fetch(`${silent().url}/notifications`)).status, 404);
  });
});
