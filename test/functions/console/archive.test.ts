import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
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
    await database().sql('truncate dlq_events, dlq_events_archive, dlq_audit, dlq_audit_events');
    id = await anEvent(database(), { status: 'FAILED_PERMANENTLY', processed_at: new Date() });
    await database().sql(
      'with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved',
    );
  });
  const open = (path: string) => page.goto(`${served().url}/${path}`);
  const rows = () => page.locator('tbody tr').count();

  it('the archive is a tab of the event search', async () => {
    await open('events?q=type:order.*');
    assert.equal(await rows(), 0);
    await page.getByRole('link', { name: 'Archive', exact: true }).click();
    assert.equal(await rows(), 1);
    await page.getByLabel('Search events').fill('type:nothing');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No archived event matches').waitFor();

    assert.match(page.url(), /events\/archive\?q=type/);
  });

  it('an operator restores an archived event with a reason', async () => {
    await open('events/archive');
    await page.getByRole('link', { name: 'order.created' }).click();
    assert.equal(await page.getByRole('link', { name: 'Replay…', exact: true }).count(), 0);
    await page.getByLabel('Reason to restore').fill('the customer asked');
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
