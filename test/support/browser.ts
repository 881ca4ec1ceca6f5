import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

export type Tab = {
  readonly page: Page;
  /** Errors the browser logged: script errors, violations of the content security policy. */
  readonly browserErrors: string[];
};

/** Starts Chromium for a suite. Each tab opens in a fresh profile and closes after the suite. */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<Tab> {
  let browser: Browser | undefined;
  before(async () => {
    const executablePath = await unpackBrowser();
    browser = await playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  after(() => browser?.close());
  return async (options = {}) => {
    if (!browser) throw new Error('The browser is open only while tests run.');
    const context = await browser.newContext({ timezoneId: 'Europe/Zurich', ...options });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const browserErrors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') browserErrors.push(message.text());
    });
    page.on('pageerror', (error) => browserErrors.push(String(error)));
    return { page, browserErrors };
  };
}

/** Unpacks once for all suites of a run. The final rename is atomic: another suite never sees an incomplete browser. */
async function unpackBrowser(): Promise<string> {
  const folder = process.env.DLO_TEST_FOLDER;
  if (!folder) throw new Error('Run the tests with npm test.');
  const unpacked = path.join(folder, 'browser');
  // Both the package and the browser write to TMPDIR.
  process.env.TMPDIR = existsSync(unpacked) ? unpacked : mkdtempSync(path.join(folder, 'unpacking-'));
  if (process.env.TMPDIR !== unpacked) {
    chromium.setGraphicsMode = false;
    await chromium.executablePath();
    if (!existsSync(unpacked)) renameSync(process.env.TMPDIR, unpacked);
    process.env.TMPDIR = unpacked;
  }
  return path.join(unpacked, 'chromium');
}
