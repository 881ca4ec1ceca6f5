import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the console by keyboard alone', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const openTab = useBrowser();
  let page: Page;
  before(async () => {
    ({ page } = await openTab());
  });
  const press = (keys: string) => page.keyboard.press(keys);
  const focused = () => page.evaluate<string>('document.activeElement.textContent');

  it('has the focus on what is wrong with a form, and on the result of an action before its undo', async () => {
    const id = await anEvent(database());
    await page.goto(`${served().url}/events/reprioritize?q=id:${id}`);
    await page.getByLabel('Priority').fill('high');
    await page.getByLabel('Reason').fill('urgent');
    await press('Enter');
    await page.waitForURL(/reprioritize$/);
    assert.match(await focused(), /^priority/);

    await page.getByLabel('Priority').fill('7');
    await press('Enter');
    await page.waitForURL(/events\?/);
    assert.match(await focused(), /^1 event was reprioritized/);
    await press('Tab');
    assert.equal(await focused(), 'Undo…');
  });

  it('the keys work on a keyboard of other letters, and with Caps Lock', async () => {
    for (let n = 0; n < 2; n++) await anEvent(database());
    await page.goto(`${served().url}/events`);
    const type = (key: string, code: string) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', code: '${code}', bubbles: true }))`,
      );
    const row = () => page.evaluate('document.activeElement.closest("tr").rowIndex');
    await type('о', 'KeyJ');
    assert.equal(await row(), 1);
    await type('J', 'KeyJ');
    assert.equal(await row(), 2);
    await type('γ', 'KeyG');
    await type('τ', 'KeyT');
    await page.waitForURL(/targets$/);
  });

  it('names what each button copies', async () => {
    const id = await anEvent(database(), { source_topic: 'orders', source_key: 'C-1', consumer_group: 'b' });
    await page.goto(`${served().url}/events/${id}`);
    const names = await page.locator('.facts').getByRole('button', { name: /^Copy/ }).allTextContents();
    assert.deepEqual(names, ['Copy topic', 'Copy key', 'Copy group']);
  });
});
