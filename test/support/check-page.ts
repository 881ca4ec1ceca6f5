import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findViolations } from './axe.ts';
import type { Tab, useBrowser } from './browser.ts';
import { readText } from './form-pages.ts';
import { sample } from './sample.ts';

type OpenTab = ReturnType<typeof useBrowser>;

const phone = { width: 360, height: 740 };
const screen = { width: 1280, height: 720 };

type Device = { readonly size: typeof phone; readonly theme: 'light' | 'dark'; readonly hasScript: boolean };

/** How a page of the console is opened. */
const devices: Readonly<Record<string, Device>> = {
  'in the light theme': { size: screen, theme: 'light', hasScript: true },
  'in the dark theme': { size: screen, theme: 'dark', hasScript: true },
  'on a phone': { size: phone, theme: 'light', hasScript: true },
  'without script on a phone': { size: phone, theme: 'light', hasScript: false },
};

/** Pages by name: the path of each, and the heading and texts that it shows. */
export type Pages = Readonly<Record<string, () => [path: string, heading: string, ...texts: string[]]>>;

export type Tabs = readonly Tab[];

/** Opens a tab with script and one without. */
export function openTabs(openTab: OpenTab): Promise<Tabs> {
  return Promise.all([true, false].map((javaScriptEnabled) => openTab({ javaScriptEnabled })));
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
    Object.entries(devices).map(([words, device]) => ({ name, page, words, device })),
  );
  for (const { name, page, words, device } of sample(everywhere)) {
    it(`the page fits and is accessible ${words}: ${name}`, async () => {
      const { url, tabs } = served();
      const tab = tabs.find(({ hasScript }) => hasScript === device.hasScript) ?? assert.fail();
      await tab.page.setViewportSize(device.size);
      await tab.page.emulateMedia({ colorScheme: device.theme });
      await checkLayout(tab, `${url}/${page()[0]}`);
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
