import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { clickThrough, useBrowser } from '../../support/browser.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('console archive', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const openTab = useBrowser();
  let page: Page;
  let id = '';
  before(async () => {
    ({ page } = await openTab());
  });
  beforeEach(async () => {
    served().caller = operator;
    await database().clear('dlq_events', 'dlq_events_archive', 'dlq_audit', 'dlq_audit_events');
    id = await anEvent(database(), { status: 'FAILED_PERMANENTLY', processed_at: new Date() });
    await database().sql(
      'with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved',
    );
  });
  const open = (path: string) => page.goto(`${served().url}/${path}`);
  const rows = () => page.locator('table.events tbody tr').count();

  it('the archive is a tab of the event search', async () => {
    await open('events?q=type:order.*');
    assert.equal(await rows(), 0);
    await clickThrough(page.getByRole('link', { name: 'Archive', exact: true }));
    assert.equal(await rows(), 1);
    await page.getByLabel('Search events').fill('type:nothing');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No archived event matches').waitFor();

    assert.match(page.url(), /events\/archive\?q=type/);
  });

  it('the archive says how many events of it the page has', async () => {
    for (const path of ['events/archive', 'events/archive?q=type:order.*'])
      assert.match(await (await fetch(`${served().url}/${path}`)).text(), />1 event</);
  });

  it('an unknown event leads to searches for its id in events, payloads and the archive', async () => {
    const response = await fetch(`${served().url}/events/99999999`);
    const text = await response.text();
    const body = Buffer.from('{"invoice": 99999999}');
    const found = await anEvent(database(), { payload: body.toString(), body });

    assert.equal(response.status, 404);
    for (const link of ['events?q=99999999', 'events/archive?q=99999999']) {
      assert.ok(text.includes(`href="${link}"`), link);
      assert.equal((await fetch(`${served().url}/${link}`)).status, 200);
    }
    assert.ok(
      (await (await fetch(`${served().url}/events?q=99999999`)).text()).includes(`href="events/${found}"`),
    );
  });

  it('an operator restores an archived event with a reason', async () => {
    await open('events/archive');
    await clickThrough(page.getByRole('link', { name: 'order.created' }));
    assert.equal(await page.getByRole('link', { name: 'Replay…', exact: true }).count(), 0);
    await page.getByLabel('Reason, for the audit log').fill('the customer asked');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The event was restored from the archive.').waitFor();

    assert.equal(await page.getByRole('link', { name: 'Replay…', exact: true }).count(), 1);
    const actions = await database().sql('select actor, action, reason from dlq_audit where closes is null');
    assert.deepEqual(actions, [{ actor: operator.name, action: 'restore', reason: 'the customer asked' }]);
  });

  it('a viewer can read an archived event but not restore it', async () => {
    served().caller = viewer;
    await open(`events/${id}`);

    assert.match((await page.locator('.warning').textContent()) ?? '', /in the archive/);
    assert.equal(await page.getByRole('button', { name: 'Restore' }).count(), 0);
  });
});
