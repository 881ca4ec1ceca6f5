import assert from 'node:assert/strict';
import { findViolations } from './axe.ts';
import type { Tab, useBrowser } from './browser.ts';

type OpenTab = ReturnType<typeof useBrowser>;

const phone = { viewport: { width: 360, height: 740 } };
const devices = {
  'in the light theme': { colorScheme: 'light' },
  'in the dark theme': { colorScheme: 'dark' },
  'on a phone': { ...phone, colorScheme: 'light' },
  'without script on a phone': { ...phone, javaScriptEnabled: false },
} as const;

/** How a page of the console is opened. */
export const deviceNames = Object.keys(devices) as readonly (keyof typeof devices)[];

export type Tabs = Readonly<Record<(typeof deviceNames)[number], Tab>>;

/** Opens a tab for each device. */
export async function openTabs(openTab: OpenTab): Promise<Tabs> {
  const tabs = deviceNames.map(async (name) => [name, await openTab(devices[name])] as const);
  return Object.fromEntries(await Promise.all(tabs)) as Tabs;
}

/**
 * Opens a page, and asserts that it has its heading and texts, is not large, does not scroll horizontally, and
 * is accessible.
 */
export async function checkPage(
  tab: Tab,
  url: string,
  [heading, ...texts]: readonly string[],
): Promise<void> {
  const { page } = tab;
  const response = await page.goto(url);
  assert.ok(((await response?.body())?.length ?? 0) < 100_000, 'the page is too large');
  const text = (await page.locator('main').textContent()) ?? '';
  const title = (await page.locator('h1').first().textContent()) ?? '';
  assert.ok(title.startsWith(heading ?? ''), `${heading} in ${title}`);
  for (const each of texts) assert.ok(text.includes(each), `${each} in ${text}`);
  assert.equal(await page.locator('[class*=undefined], [class*=false]').count(), 0);
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
    0,
    'scrolls sideways',
  );
  // Axe is a script, too.
  if (tab.hasScript) assert.deepEqual(await findViolations(tab), []);
}
