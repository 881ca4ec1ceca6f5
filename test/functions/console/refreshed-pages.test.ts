import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { clickThrough, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the refresh of a page', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const openTab = useBrowser();
  let page: Page;
  before(async () => {
    ({ page } = await openTab());
  });
  const open = (path: string) => page.goto(`${served().url}/${path}`);
  const refresh = () => page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  const focused = () =>
    page.evaluate<string>('document.activeElement.textContent || document.activeElement.name');

  it('removes the actions of a run that has ended, and shows its outcomes', async () => {
    const [run] = await database().sql<{ id: string }>(
      `with run as (
         insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
         values ('replay', 'ada', 'a test', '{"filter": {}}', 1, '{}') returning id
       )
       insert into dlq_run_events (run_id, event_id, position, failure_count, status)
       select id, 1, 1, 1, 'PENDING' from run returning run_id as id`,
    );
    await open(`runs/${run?.id}`);
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 1);
    await database().sql(
      `update dlq_run_events set outcome = 'skipped', settled_at = now() where run_id = $1`,
      [run?.id],
    );

    await waitUntil(
      'the run has no actions',
      async () => (await page.getByRole('button', { name: 'Pause' }).count()) === 0,
    );
    assert.match((await page.locator('.run-events tbody').textContent()) ?? '', /skipped/);
  });

  it('shows the new stats of a run', async () => {
    const [run] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
       values ('replay', 'ada', 'a test', '{"filter": {}}', 4, '{}') returning id`,
    );
    await open(`runs/${run?.id}`);
    assert.equal(await page.locator('.stat .value').nth(1).textContent(), '0');
    await database().sql('update dlq_runs set delivered = 3 where id = $1', [run?.id]);

    await waitUntil(
      'the page shows 3 delivered',
      async () => (await page.locator('.stat .value').nth(1).textContent()) === '3',
    );
  });

  it('changes what is new, and leaves what the reader opened, focused, selected and typed', async () => {
    const [run] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
       values ('replay', 'ada', 'a test', '{"filter": {}}', 4, '{}') returning id`,
    );
    await anEvent(database(), { status: 'SUCCEEDED', processed_at: new Date(), fingerprint: 'v1:finished' });
    await open('');
    await page.locator('summary').first().click();
    const replay = page.getByRole('link', { name: 'a test' });
    await replay.first().focus();
    await page.evaluate('getSelection().selectAllChildren(document.querySelector("#schedule"))');
    await database().sql('update dlq_runs set delivered = 3 where id = $1', [run?.id]);
    await refresh();
    await page.getByText('3 of 4 delivered, 1 waiting').waitFor();
    const [opened, selected] = [
      page.locator('details[open]').count(),
      page.evaluate('String(getSelection())'),
    ];
    assert.deepEqual([await opened, await focused(), await selected], [1, 'a test', 'Schedule']);

    await open(`runs/${run?.id}`);
    await page.getByLabel('Reason (optional)').fill('too fast');
    await page.locator('h1').click();
    await database().sql("update dlq_runs set paused_because = 'By ada: too fast' where id = $1", [run?.id]);
    await refresh();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    assert.equal(await page.getByLabel('Reason (optional)').inputValue(), 'too fast');
    await page.getByLabel('Reason (optional)').focus();
    await database().sql("update dlq_runs set ended_at = now(), stopped = 'cancelled' where id = $1", [
      run?.id,
    ]);
    await refresh();
    await page.getByText('cancelled').waitFor();
    assert.equal(await focused(), 'reason');
  });

  it('leaves rows that the reader unfolded, however many come before them', async () => {
    const [run] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, requested_by, request, selected, excluded)
       values ('replay', 'ada', '{"filter": {}}', 20, '{}') returning id`,
    );
    const addEvents = (outcome: string, from: number, to: number) =>
      database().sql(
        `insert into dlq_run_events (run_id, event_id, position, failure_count, status, outcome, settled_at)
         select $1, id, id, 1, 'PENDING', $2, now() from generate_series($3::int, $4::int) as id`,
        [run?.id, outcome, from, to],
      );
    await addEvents('skipped', 11, 16);
    await addEvents('delivered', 21, 26);
    await open(`runs/${run?.id}`);
    const folds = page.locator('.run-events .fold label');
    await folds.getByText('5 more like this').last().click();
    await addEvents('failed', 1, 6);
    await addEvents('skipped', 10, 10);
    await addEvents('delivered', 20, 20);
    await refresh();
    await folds.getByText('6 more like this').last().waitFor();
    const shown = page.locator('.run-events .folded').filter({ visible: true });
    assert.deepEqual([await shown.count(), await shown.locator('tr').count()], [1, 6]);
    assert.equal(await page.evaluate('document.activeElement.type'), 'checkbox');
  });

  it('shows what became of an event', async () => {
    const id = await anEvent(database());
    await open(`events/${id}`);
    await page.locator('.head').getByText('pending').waitFor();
    await database().sql("update dlq_events set status = 'SUCCEEDED', processed_at = now() where id = $1", [
      id,
    ]);
    await refresh();
    await page.locator('.head').getByText('succeeded').waitFor();
  });

  it('a list says how many rows are new, shows what became of its own, and does not move below its reader', async () => {
    await manyEvents(database(), 2, 'bulk.old');
    await open('events?q=type:bulk.*');
    await manyEvents(database(), 3, 'bulk.fresh');
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.locator('#fresh a').waitFor();

    assert.equal(await page.locator('#fresh').textContent(), 'new: 3');
    assert.equal(await page.locator('tbody a.title').count(), 2);
    await clickThrough(page.locator('#fresh a'));
    assert.equal(await page.locator('tbody a.title').count(), 5);
    await manyEvents(database(), 50, 'bulk.flood');
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.locator('#fresh a').waitFor();
    assert.equal(await page.locator('#fresh').textContent(), 'new: 50 or more');

    await open('events?q=type:bulk.old');
    await database().sql(
      "update dlq_events set status = 'SUCCEEDED', processed_at = now() where event_type = 'bulk.old'",
    );
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.locator('table.events .good').first().waitFor();
    assert.equal(await page.locator('table.events .good').count(), 2);
    await database().sql("delete from dlq_events where event_type like 'bulk.%'");
  });

  it('marks a row that a list has no longer, unless it may be on its next page', async () => {
    await manyEvents(database(), 60, 'left');
    const ids = (await database().sql<{ id: string }>('select id from dlq_events order by id desc')).map(
      ({ id }) => id,
    );
    const settle = async (status: string, ...of: readonly (string | undefined)[]) => {
      await database().sql('update dlq_events set status = $1 where id = any ($2)', [status, of]);
      await refresh();
    };
    const marked = page
      .locator('tr', { has: page.getByText('no longer listed') })
      .locator('.event-name > .small');
    await open('events?q=type:left status:PENDING');
    await settle('DISCARDED', ids[1], ids[49]);
    await marked.first().waitFor({ state: 'attached' });
    assert.deepEqual(await marked.allTextContents(), [ids[1]]);
    await settle('PENDING', ids[1], ids[49]);
    await marked.first().waitFor({ state: 'detached' });

    await open(`events?q=id:${ids[3]},${ids[4]} status:PENDING`);
    await settle('DISCARDED', ids[4]);
    await marked.first().waitFor();
    assert.deepEqual(await marked.allTextContents(), [ids[4]]);
    await settle('DISCARDED', ids[3]);
    await marked.nth(1).waitFor();
    await database().sql("delete from dlq_events where event_type = 'left'");
  });

  it('leaves a form that is being sent', async () => {
    const [run] = await database().sql<{ id: string }>(
      `insert into dlq_runs (trigger, requested_by, reason, request, selected, excluded)
       values ('replay', 'ada', 'a test', '{"filter": {}}', 4, '{}') returning id`,
    );
    await open(`runs/${run?.id}`);
    const { promise: isShown, resolve: show } = Promise.withResolvers<void>();
    await page.route('**/activity*', async (route) => {
      await isShown;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('form[aria-busy]').waitFor();
    await database().sql('update dlq_runs set delivered = 3 where id = $1', [run?.id]);
    await refresh();
    await page.getByText('3 of 4 delivered, 1 waiting').waitFor();
    show();

    await page.getByText(`Run ${run?.id} is paused`).waitFor();
    await page.unroute('**/activity*');
  });

  it('is tried again if it fails, and until then the page says since when it is not current', async () => {
    await open('runs');
    const note = page.getByRole('alert');
    await page.context().setOffline(true);
    await refresh();
    await note.waitFor();
    assert.match((await note.textContent()) ?? '', /^Not current since .*, trying again\. Reload$/);

    await page.context().setOffline(false);
    await refresh();
    await note.waitFor({ state: 'detached' });
  });
});
