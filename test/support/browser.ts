import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

export type Tab = {
  readonly page: Page;
  /** What the browser complained of: errors of the script, refusals of the content security policy. */
  readonly complaints: string[];
};

/** Gives a suite a real browser. Each tab is opened in a fresh profile and closed after the suite. */
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
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints };
  };
}

/** Once for all suites of a run, into its folder. Another suite never meets a browser that is half unpacked. */
async function unpackBrowser(): Promise<string> {
  const folder = process.env.DLO_TEST_FOLDER;
  if (!folder) throw new Error('Run the tests with npm test.');
  const unpacked = path.join(folder, 'browser');
  // The package unpacks to, and the browser keeps its profiles in, whatever the folder for temporary files is.
  process.env.TMPDIR = existsSync(unpacked) ? unpacked : mkdtempSync(path.join(folder, 'unpacking-'));
  if (process.env.TMPDIR !== unpacked) {
    chromium.setGraphicsMode = false;
    await chromium.executablePath();
    if (!existsSync(unpacked)) renameSync(process.env.TMPDIR, unpacked);
    process.env.TMPDIR = unpacked;
  }
  return path.join(unpacked, 'chromium');
}
