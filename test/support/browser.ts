import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import manifest from '../../package.json' with { type: 'json' };
import { lend } from './lend.ts';

export type Tab = {
  readonly page: Page;
  /** Errors the browser logged: script errors, violations of the content security policy. */
  readonly browserErrors: string[];
  readonly hasScript: boolean;
};

const useChromium = lend<Browser>({
  make: async () => launch(await unpackBrowser()),
  restore: async (browser) => {
    for (const context of browser.contexts()) await context.close();
    return browser.isConnected();
  },
  close: (browser) => browser.close(),
});

/** Lends Chromium to a suite. Each tab opens in a fresh profile and closes after the suite. */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<Tab> {
  const browser = useChromium();
  return async (options = {}) => {
    const context = await browser().newContext({ timezoneId: 'Europe/Zurich', ...options });
    // Only ends a test that hangs.
    context.setDefaultTimeout(300_000);
    const page = await context.newPage();
    const browserErrors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') browserErrors.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => browserErrors.push(String(error)));
    return { page, browserErrors, hasScript: options.javaScriptEnabled !== false };
  };
}

/**
 * A start of Chromium may crash (SIGSEGV, once in some hundred starts on a busy machine): up to three are
 * tried.
 */
async function launch(executablePath: string, starts = 3): Promise<Browser> {
  try {
    return await playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  } catch (error) {
    if (starts === 1) throw error;
    return launch(executablePath, starts - 1);
  }
}

/** Clicks a link or a button that leads to a page, and waits until the page is read. */
export async function clickThrough(what: Locator): Promise<void> {
  const read = what.page().waitForEvent('domcontentloaded');
  await what.click();
  await read;
}

/** Unpacks once for all runs. The rename is atomic: another process never sees an incomplete browser. */
async function unpackBrowser(): Promise<string> {
  const cache = path.join(import.meta.dirname, '../../node_modules/.cache');
  const unpacked = path.join(cache, `chromium-${manifest.devDependencies['@sparticuz/chromium']}`);
  if (!existsSync(unpacked)) {
    mkdirSync(cache, { recursive: true });
    const { TMPDIR } = process.env;
    // The package writes to TMPDIR.
    process.env.TMPDIR = mkdtempSync(path.join(cache, 'chromium-'));
    chromium.setGraphicsMode = false;
    await chromium.executablePath();
    if (!existsSync(unpacked)) renameSync(process.env.TMPDIR, unpacked);
    else rmSync(process.env.TMPDIR, { recursive: true });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  return path.join(unpacked, 'chromium');
}
