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

/** Requests a page, and asserts that it has its heading and texts, and is not large. */
export async function checkContent(url: string, [heading = '', ...texts]: readonly string[]): Promise<void> {
  const html = await (await fetch(url)).text();
  assert.ok(html.length < 100_000, 'the page is too large');
  const text = readText(/<main.*<\/main>/s.exec(html)?.[0]);
  const title = readText(/(?<=<h1[^>]*>).*?(?=<\/h1>)/s.exec(html)?.[0]).trimStart();
  assert.ok(title.startsWith(heading), `${heading} in ${title}`);
  for (const each of texts) assert.ok(text.includes(each), `${each} in ${text}`);
  assert.doesNotMatch(html, /class="[^"]*(undefined|false)/);
}

const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

function readText(html = ''): string {
  const text = html.replaceAll(/<[^>]*>/g, '');
  return Object.entries(characters).reduce((read, [entity, each]) => read.replaceAll(entity, each), text);
}

/** Opens a page, and asserts that it does not scroll horizontally, and is accessible. */
export async function checkLayout(tab: Tab, url: string): Promise<void> {
  const { page } = tab;
  await page.goto(url);
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
    0,
    'scrolls sideways',
  );
  // Axe is a script, too.
  if (tab.hasScript) assert.deepEqual(await findViolations(tab), []);
}
