import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the archive', () => {
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

  it('is searched as the other events are, beside them', async () => {
    await open('events?q=type:order.*');
    assert.equal(await rows(), 0);
    await page.getByRole('link', { name: 'Archive' }).click();
    assert.equal(await rows(), 1);
    await page.getByLabel('Which events').fill('type:nothing');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Nothing in the archive matches').waitFor();

    assert.match(page.url(), /events\/archive\?q=type/);
  });

  it('shows an event in full, and gives it back to an operator who says why', async () => {
    await open('events/archive');
    await page.getByRole('link', { name: 'order.created' }).click();
    assert.equal(await page.getByRole('link', { name: 'Replay…', exact: true }).count(), 0);
    await page.getByLabel('Why it is wanted back').fill('the customer asked');
    await page.getByRole('button', { name: 'Bring it back' }).click();
    await page.getByText('The event is back from the archive.').waitFor();

    assert.equal(await page.getByRole('link', { name: 'Replay…', exact: true }).count(), 1);
    const acts = await database().sql('select actor, act, reason from dlq_audit where closes is null');
    assert.deepEqual(acts, [{ actor: operator.name, act: 'restore', reason: 'the customer asked' }]);
  });

  it('is only looked at by a viewer', async () => {
    served().caller = viewer;
    await open(`events/${id}`);

    assert.match((await page.locator('.warning').textContent()) ?? '', /in the archive/);
    assert.equal(await page.getByRole('button', { name: 'Bring it back' }).count(), 0);
  });
});
