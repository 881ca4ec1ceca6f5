// Takes the pictures of this folder from a console whose demo has run for ten minutes with at least one replay:
//   psql "$(cat .data/url)" -f docs/screenshots/stretch-demo.sql
//   node docs/screenshots/take.ts http://localhost:8080/console/
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';

const [consoleUrl = 'http://localhost:8080/console/', folder = import.meta.dirname] = process.argv.slice(2);
const desktop = { width: 1280, height: 800 };

const profile = await mkdtemp(path.join(tmpdir(), 'screenshots-'));
process.env.TMPDIR = profile;
chromium.setGraphicsMode = false;
const executablePath = await chromium.executablePath();
process.env.FONTCONFIG_FILE = await describeFonts();
const browser = await playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const encoder = await browser.newPage();
  const pages = await findPages();
  for (const colorScheme of ['light', 'dark'] as const) {
    const look = { colorScheme, deviceScaleFactor: 2, timezoneId: 'Europe/Zurich' };
    const wide = await browser.newPage({ ...look, viewport: desktop });
    for (const [name, address] of Object.entries(pages)) {
      await takePicture(wide, encoder, { address, file: `${name}-${colorScheme}.webp` });
    }
  }
} finally {
  await browser.close();
  await rm(profile, { recursive: true });
}

/** Uses the fonts of the browser, so that pictures do not depend on the machine. */
async function describeFonts(): Promise<string> {
  const [file, fonts] = [path.join(profile, 'fonts.conf'), path.join(profile, 'fonts')];
  const aliases = ['system-ui', 'sans-serif'].map(
    (family) => `<alias><family>${family}</family><prefer><family>Open Sans</family></prefer></alias>`,
  );
  const folders = `<dir>${fonts}</dir><dir>/usr/share/fonts</dir>`;
  await writeFile(file, `<fontconfig>${folders}${aliases.join('')}</fontconfig>`);
  return file;
}

/** The pages of the guides: those that need an example have an acknowledged or large error group, and the latest replay. */
async function findPages(): Promise<Record<string, string>> {
  const page = await browser.newPage();
  const follow = async (from: string, ...links: string[]) => {
    await page.goto(consoleUrl + from);
    for (const link of links) {
      const found = page.locator(link).first();
      if ((await found.count()) > 0) return (await found.getAttribute('href')) ?? from;
    }
    throw new Error(`${consoleUrl}${from} has nothing to show: let the demo run, and replay an event.`);
  };
  const group = await follow('groups?view=all', 'tr:has(.icon-acknowledged) a.title', 'table.groups a.title');
  const run = await follow('runs', 'tr:has(.icon-running) a.title', 'table.runs a.title');
  await page.close();
  const q = `fingerprint:${decodeURIComponent(group.slice('groups/'.length))} status:PENDING,FAILED_PERMANENTLY`;
  const replay = `runs/new?${new URLSearchParams({ q })}`;
  return { overview: '', group, replay, run };
}

/** Saves a picture as WebP, a third of the size of PNG; the browser encodes it. */
async function takePicture(
  page: Page,
  encoder: Page,
  { address, file }: { readonly address: string; readonly file: string },
): Promise<void> {
  await page.goto(consoleUrl + address);
  // The demo's stack traces have paths of this machine.
  await page.evaluate(`for (const line of document.querySelectorAll('.stack *'))
    for (const node of line.childNodes)
      if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replaceAll(/file:\\S*?(?=\\/local\\/)/g, 'file:///app');`);
  const png = (await page.screenshot()).toString('base64');
  const webp = await encoder.evaluate<string>(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.65);
  })()`);
  await writeFile(path.join(folder, file), Buffer.from(webp.slice(webp.indexOf(',') + 1), 'base64'));
}
