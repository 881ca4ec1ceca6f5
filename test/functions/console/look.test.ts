import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the look of the page of an event', () => {
  const database = useDatabase();
  const longUrl =
    'https://payments-settlement-7f9b2d4c1e-ew.a.run.app/internal/v2/settlements/redeliver-events';
  const served = useConsole(database, { routes: [aRouteTo(longUrl, { match: { eventType: 'mail.*' } })] });
  const environment = 'acme-payments-and-settlements-production';
  const named = useConsole(database, { routes: [aRouteTo(longUrl)], environment });
  const openTab = useBrowser();
  let page: Page;
  let id: string;
  before(async () => {
    const headers = JSON.stringify({ 'x-tenant': 'acme', traceparent: `00-${'4bf92f35'.repeat(9)}-01` });
    id = await anEvent(database(), { headers });
    ({ page } = await openTab());
  });

  for (const width of [390, 1280, 1920])
    it(`gives most of the list of headers to their values on a screen of ${width} px`, async () => {
      await page.goto(`${served().url}/events/${id}`);
      await page.setViewportSize({ width, height: 900 });
      const [name, value] = await Promise.all(
        ['dt', 'dd'].map((each) => page.locator(`[aria-labelledby=headers] ${each}`).first().boundingBox()),
      );
      assert.ok(name && value && name.width < 0.6 * value.width, JSON.stringify([name, value]));
    });

  it('has its state on the line of the words beside it', async () => {
    await page.goto(`${served().url}/events/${id}`);
    // The bottom of an empty inline block is its baseline.
    const baselines = await page.evaluate<
      number[]
    >(`['.head .mark', '.head .muted:not(p)'].map((selector) => {
      const probe = document.createElement('i');
      document.querySelector(selector).append(probe);
      probe.style.cssText = 'display: inline-block';
      return Math.round(probe.getBoundingClientRect().bottom);
    })`);
    assert.equal(baselines[0], baselines[1]);
  });

  it('marks only the current page where the system chooses the colors', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${served().url}/events/${id}`);
    const marked = await page.evaluate<string[]>(`[...document.querySelectorAll('.tabs a')]
      .filter((tab) => getComputedStyle(tab).borderBottomWidth !== '0px').map((tab) => tab.textContent)`);
    await page.emulateMedia({ forcedColors: 'none' });
    assert.deepEqual(marked, ['Events']);
  });

  it('has dangerous buttons in another color', async () => {
    await page.goto(`${served().url}/events/discard?q=id:${id}`);
    const colors = await page.evaluate<string[]>(
      `['button.danger', '.actions .button'].map((each) => getComputedStyle(document.querySelector(each)).color)`,
    );
    assert.notEqual(colors[0], colors[1]);
  });

  it('fits into windows of any width, without a column that covers another', async () => {
    for (const path of ['', `events/${id}`, 'events', 'groups', 'runs', 'targets']) {
      await page.goto(`${served().url}/${path}`);
      for (const width of [390, 800, 1110]) {
        await page.setViewportSize({ width, height: 844 });
        const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('html, main, .event-cell')]
          .filter((each) => each.scrollWidth > each.clientWidth)
          .map((each) => each.outerHTML.slice(0, 80))`);
        assert.deepEqual(wide, [], `${path} at ${width} px`);
      }
    }
  });

  it('keeps the result of an action apart from what is below it', async () => {
    const cookie = { name: 'dlo-notice', value: 'Done.', url: served().url };
    const [result, below] = ['.notice', '.filter-line'].map((each) => page.locator(each).first());
    await page.context().addCookies([cookie]);
    await page.goto(`${served().url}/events`);
    const [above, under] = [await result?.boundingBox(), await below?.boundingBox()];
    assert.ok(above && under && under.y - above.y - above.height >= 8, JSON.stringify([above, under]));
  });

  it('has on paper the time of each age, within its column', async () => {
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 1110, height: 844 });
    await page.goto(`${served().url}/events`);
    const [hasTime, isWithin] = await page.evaluate<boolean[]>(`(() => {
      const time = document.querySelector('td time');
      const { scrollWidth, clientWidth } = time.closest('td');
      const { content } = getComputedStyle(time, '::after');
      return [content.includes(time.dateTime), scrollWidth === clientWidth];
    })()`);
    // A space between the type and the id of an event.
    const gap = await page.evaluate<number>(
      `(([type, id]) => id.getBoundingClientRect().left - type.getBoundingClientRect().right)(document.querySelector('.event-name').children)`,
    );
    await page.emulateMedia({ media: 'screen' });
    assert.deepEqual([hasTime, isWithin, gap > 0], [true, true, true]);
  });

  it('fits into any window, however long an unbroken name is', async () => {
    const name = 'x'.repeat(2000);
    const long = { content_type: name, error_reason: name, fingerprint: 'v1:long' };
    const event = await anEvent(database(), long);
    for (const path of [`events/${event}`, 'groups/v1%3Along', 'groups/v1%3Along/merge']) {
      await page.goto(`${served().url}/${path}`);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        assert.equal(sideways, 0, `${path} at ${width} px`);
      }
    }
  });

  it('fits a phone with a long name of an environment, which its buttons have, too', async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    for (const path of ['targets', `runs/new?q=id:${id}`]) {
      await page.goto(`${named().url}/${path}`);
      const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.equal(sideways, 0, path);
    }
  });

  it('has the whole row of tabs on a phone', async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto(served().url);
    const tabs = page.locator('.tabs');
    assert.ok(
      await tabs.evaluate(
        (each: { scrollWidth: number; clientWidth: number }) => each.scrollWidth <= each.clientWidth,
      ),
    );
  });

  it('keeps the columns of a list as wide, however long a reason is', async () => {
    const reason = 'the reason says much '.repeat(40);
    await database().sql(
      `insert into dlq_audit (actor, action, reason) values ('ada@example.com', 'reopen', $1)`,
      [reason],
    );
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${served().url}/activity`);
    const cells = await page.locator('tbody tr').first().locator('td').all();
    const widths = await Promise.all(cells.map(async (cell) => (await cell.boundingBox())?.width ?? 0));
    assert.ok(
      widths.every((width) => width > 120),
      String(widths),
    );
  });

  it('shows all of a long address on a phone, and breaks it after a slash', async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto(served().url);
    const link = page.locator('[aria-labelledby=targets] a.title');
    assert.equal(
      await link.evaluate(
        (each: { scrollWidth: number; clientWidth: number }) => each.scrollWidth > each.clientWidth,
      ),
      false,
    );
    await page.goto(`${served().url}/targets/${encodeURIComponent(longUrl)}`);
    assert.match(await page.locator('.breadcrumb').innerHTML(), /run\.app\/<wbr>internal/);
  });

  it('leaves a low window to its content', async () => {
    await page.setViewportSize({ width: 640, height: 360 });
    for (const path of [`events/${id}`, 'events', 'groups']) {
      await page.goto(`${served().url}/${path}`);
      const fixed = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
        .filter((each) => each.checkVisibility() && /fixed|sticky/.test(getComputedStyle(each).position))
        .map((each) => each.className)`);
      assert.deepEqual(fixed, [], path);
    }
  });

  it('has links and buttons of at least 24 px on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of [`events/${id}`, 'events', 'groups', 'runs', 'targets', 'activity/report']) {
      await page.goto(`${served().url}/${path}`);
      const small = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('main :is(a, button, summary)')]
        .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24)
        .map((each) => each.textContent)`);
      assert.deepEqual(small, [], path);
    }
  });

  it('shows two lines of a long reason in the list of events', async () => {
    await anEvent(database(), {
      error_reason: 'the reason says much '.repeat(20),
      event_type: 'a type of many words '.repeat(10),
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${served().url}/events`);
    assert.equal((await page.locator('.error-cell').first().boundingBox())?.height, 40);
  });

  it('shows four lines of a long event type in lists', async () => {
    await anEvent(database(), { event_type: 'x'.repeat(1000) });
    for (const path of ['events', 'targets']) {
      await page.goto(`${served().url}/${path}`);
      const type = page.locator('.event-name', { hasText: 'xxx' });
      assert.equal((await type.boundingBox())?.height, 80, path);
    }
  });

  it('gives the reason most of a row also where rows like it are folded, on any screen', async () => {
    const alike = { fingerprint: 'v1:alike', error_reason: 'payments are down', answer: 'HTTP 503' };
    for (let n = 0; n < 6; n++) await anEvent(database(), { ...alike, source_key: 'a key' });
    await page.goto(`${served().url}/events`);
    await page.getByText('5 more like this').waitFor();
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const share = await page.evaluate<number>(
        `['td:has(.error-cell)', 'table'].map((each) => document.querySelector(each).offsetWidth).reduce((a, b) => a / b)`,
      );
      assert.ok(share > 0.3, `${share} of ${width} px`);
    }
  });
});
