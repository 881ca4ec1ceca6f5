import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findViolations } from './axe.ts';
import type { Tab, useBrowser } from './browser.ts';
import { readText } from './form-pages.ts';
import { sample } from './sample.ts';

type OpenTab = ReturnType<typeof useBrowser>;

const phone = { viewport: { width: 360, height: 740 } };
const devices = {
  'in the light theme': { colorScheme: 'light' },
  'in the dark theme': { colorScheme: 'dark' },
  'on a phone': { ...phone, colorScheme: 'light' },
  'without script on a phone': { ...phone, javaScriptEnabled: false },
} as const;

/** How a page of the console is opened. */
const deviceNames = Object.keys(devices) as readonly (keyof typeof devices)[];

/** Pages by name: the path of each, and the heading and texts that it shows. */
export type Pages = Readonly<Record<string, () => [path: string, heading: string, ...texts: string[]]>>;

export type Tabs = Readonly<Record<(typeof deviceNames)[number], Tab>>;

/** Opens a tab for each device. */
export async function openTabs(openTab: OpenTab): Promise<Tabs> {
  const tabs = deviceNames.map(async (name) => [name, await openTab(devices[name])] as const);
  return Object.fromEntries(await Promise.all(tabs)) as Tabs;
}

/** Tests the content of each page, and the layout of a sample of pages and devices. */
export function checkPages(pages: Pages, served: () => { readonly url: string; readonly tabs: Tabs }): void {
  for (const [name, page] of Object.entries(pages)) {
    it(`the page has its heading and content: ${name}`, async () => {
      const [path, ...texts] = page();
      await checkContent(`${served().url}/${path}`, texts);
    });
  }
  const everywhere = Object.entries(pages).flatMap(([name, page]) =>
    deviceNames.map((device) => ({ name, page, device })),
  );
  for (const { name, page, device } of sample(everywhere)) {
    it(`the page fits and is accessible ${device}: ${name}`, async () => {
      const { url, tabs } = served();
      await checkLayout(tabs[device], `${url}/${page()[0]}`);
    });
  }
}

/** Requests a page, and asserts that it has its heading and texts, and is not large. */
async function checkContent(url: string, [heading = '', ...texts]: readonly string[]): Promise<void> {
  const html = await (await fetch(url)).text();
  assert.ok(html.length < 100_000, 'the page is too large');
  const text = readText(/<main.*<\/main>/s.exec(html)?.[0]);
  const title = readText(/(?<=<h1[^>]*>).*?(?=<\/h1>)/s.exec(html)?.[0]);
  assert.ok(title.startsWith(heading), `${heading} in ${title}`);
  for (const each of texts) assert.ok(text.includes(each), `${each} in ${text}`);
  assert.doesNotMatch(html, /class="[^"]*(undefined|false)/);
}

/** Opens a page, and asserts that it does not scroll horizontally, and is accessible. */
async function checkLayout(tab: Tab, url: string): Promise<void> {
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
