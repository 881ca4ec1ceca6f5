import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeCaptures } from '../../../functions/capture/store-captures.ts';
import { type Database, type Listen, openDatabase } from '../../../shared/database.ts';
import { useBrowser } from '../../support/browser.ts';
import { aCapture } from '../../support/captures.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('where the database tells what happens, the console', () => {
  const database = useDatabase();
  let telling: Database & { listen: Listen };
  before(() => {
    telling = openDatabase({ kind: 'url', url: database().url, poolMax: 3, notify: true }, 'news');
  });
  after(() => telling.close());
  const served = useConsole(database, { listen: (channel, ears) => telling.listen(channel, ears) });
  const silent = useConsole(database);
  const openTab = useBrowser();

  let captured = 0;
  const capture = () =>
    storeCaptures({ db: telling, maxReturns: 3 }, [aCapture({ eventKey: `id:${++captured}` })]);
  const countListeners = async () => {
    const [row] = await database().sql(
      `select count(*)::int as n from pg_stat_activity where query = 'listen "dlq_events"' and datname = current_database()`,
    );
    return row?.n;
  };

  it('shows it without being asked', async () => {
    const { page, complaints } = await openTab();
    // Its clock stands still: it does not ask by itself.
    await page.clock.install();
    await page.goto(served().url);
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await capture();

    await page.getByText('order.created').first().waitFor();
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('listens once for all who look, and no longer than they do', async () => {
    const look = async () => {
      const reader = (await fetch(`${served().url}/news`)).body?.getReader();
      assert.ok(reader);
      return reader;
    };
    const readers = [await look(), await look()];
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await capture();
    for (const reader of readers)
      assert.match(Buffer.from((await reader.read()).value ?? []).toString(), /^data:/);
    await Promise.all(readers.map((reader) => reader.cancel()));

    await waitUntil('the listeners are 0', async () => (await countListeners()) === 0);
  });

  it('ends its news where the connection breaks, and begins anew for who asks again', async () => {
    const cut = await fetch(`${served().url}/news`);
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await database().sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen "dlq_events"' and datname = current_database()`,
    );
    assert.equal(await cut.text(), '');
    const again = (await fetch(`${served().url}/news`)).body?.getReader();
    await waitUntil('the listeners are 1', async () => (await countListeners()) === 1);
    await again?.cancel();
  });

  it('has no news to give where it does not', async () => {
    assert.equal((await fetch(`${silent().url}/news`)).status, 404);
  });
});
