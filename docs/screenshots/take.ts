// Takes the pictures of this folder from an office with a demo that has run for an hour and replayed something:
//   psql "$(cat .data/url)" -f docs/screenshots/stretch-demo.sql
//   node docs/screenshots/take.ts http://localhost:8080/console/
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';

const [office = 'http://localhost:8080/console/', folder = import.meta.dirname] = process.argv.slice(2);
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 780 };
/** And in which theme. */
const onPhones: Readonly<Record<string, string>> = { overview: 'dark', event: 'light', run: 'dark' };

const profile = await mkdtemp(path.join(tmpdir(), 'screenshots-'));
process.env.TMPDIR = profile;
chromium.setGraphicsMode = false;
const executablePath = await chromium.executablePath();
process.env.FONTCONFIG_FILE = await describeFonts();
const browser = await playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const encoder = await browser.newPage();
  const places = await findPlaces();
  for (const colorScheme of ['light', 'dark'] as const) {
    const look = { colorScheme, deviceScaleFactor: 2, timezoneId: 'Europe/Zurich' };
    const wide = await browser.newPage({ ...look, viewport: desktop });
    const small = await browser.newPage({ ...look, viewport: phone });
    for (const [name, place] of Object.entries(places)) {
      await takePicture(wide, encoder, { place, file: `${name}-${colorScheme}.webp` });
      if (onPhones[name] === colorScheme)
        await takePicture(small, encoder, { place, file: `${name}-phone-${colorScheme}.webp` });
    }
  }
} finally {
  await browser.close();
  await rm(profile, { recursive: true });
}

/** What the browser brings, for a look that does not depend on the machine. */
async function describeFonts(): Promise<string> {
  const [file, fonts] = [path.join(profile, 'fonts.conf'), path.join(profile, 'fonts')];
  const aliases = ['system-ui', 'sans-serif'].map(
    (family) => `<alias><family>${family}</family><prefer><family>Open Sans</family></prefer></alias>`,
  );
  const folders = `<dir>${fonts}</dir><dir>/usr/share/fonts</dir>`;
  await writeFile(file, `<fontconfig>${folders}${aliases.join('')}</fontconfig>`);
  return file;
}

/** The pages that need an example: what is acknowledged or else waits most, one of its events, the latest replay. */
async function findPlaces(): Promise<Record<string, string>> {
  const page = await browser.newPage();
  const follow = async (from: string, ...links: string[]) => {
    await page.goto(office + from);
    for (const link of links) {
      const found = page.locator(link).first();
      if ((await found.count()) > 0) return (await found.getAttribute('href')) ?? from;
    }
    throw new Error(`There is nothing to show on ${office}${from}: let the demo run, and replay something.`);
  };
  const group = await follow('groups', 'tr:has(.icon-acknowledged) a.title', 'a.title');
  const event = await follow(group, 'table.events a.title');
  const run = await follow('runs', 'tr:has(.icon-running) a.title', 'table.runs a.title');
  await page.close();
  const q = `fingerprint:${decodeURIComponent(group.slice('groups/'.length))} status:PENDING,FAILED_PERMANENTLY`;
  const replay = `runs/new?${new URLSearchParams({ q })}`;
  return {
    overview: '',
    groups: 'groups',
    group,
    events: 'events',
    event,
    replay,
    run,
    runs: 'runs',
    targets: 'targets',
  };
}

/** As WebP, which is a third of the same picture as PNG; the browser itself knows how. */
async function takePicture(
  page: Page,
  encoder: Page,
  { place, file }: { readonly place: string; readonly file: string },
): Promise<void> {
  await page.goto(office + place);
  const png = (await page.screenshot()).toString('base64');
  const webp = await encoder.evaluate<string>(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.65);
  })()`);
  await writeFile(path.join(folder, file), Buffer.from(webp.slice(webp.indexOf(',') + 1), 'base64'));
}
