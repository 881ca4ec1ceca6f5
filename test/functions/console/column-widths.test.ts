import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the table of headers on the page of an event', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const openTab = useBrowser();
  let page: Page;
  before(async () => {
    const headers = JSON.stringify({ 'x-tenant': 'acme', traceparent: `00-${'4bf92f35'.repeat(9)}-01` });
    const id = await anEvent(database(), { headers });
    ({ page } = await openTab());
    await page.goto(`${served().url}/events/${id}`);
  });

  for (const width of [390, 1280, 1920])
    it(`gives most of its width to the values on a screen of ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      const [name, value] = await Promise.all(
        ['th', 'td'].map((cell) => page.locator(`.key-values ${cell}`).first().boundingBox()),
      );
      assert.ok(name && value && name.width < 0.6 * value.width, JSON.stringify([name, value]));
    });
});
