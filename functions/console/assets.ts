import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Request, Response } from 'express';

// In order of the cascade.
const styles = 'tokens reset layout typography components controls event events overview runs'.split(' ');

const readAssets = () => ({
  'console.css': describe('console.css', styles.map((name) => read(`styles/${name}.css`)).join('')),
  'console.js': describe('console.js', read('console.js')),
  'lists.js': describe('lists.js', read('lists.js')),
  'icon.svg': describe('icon.svg', read('icon.svg')),
});

const loaded = readAssets();
const isDeveloped = process.env.npm_lifecycle_event === 'dev';
/** `npm run dev` reads the files with each request. */
const findAssets = () => (isDeveloped ? readAssets() : loaded);

/** The path of an asset below the console. The name contains a hash of the content. */
export function assetPath(name: keyof typeof loaded): string {
  return findAssets()[name].path;
}

/** Answers `GET /assets/:name`. A name never changes its content, so that browsers may cache it forever. */
export function serveAsset(request: Request, response: Response, next: () => void): void {
  const path = `assets/${request.params.name}`;
  const asset = Object.values(findAssets()).find((each) => each.path === path);
  if (!asset) {
    next();
    return;
  }
  response.setHeader('cache-control', 'public, max-age=31536000, immutable');
  response.type(asset.extension).send(asset.text);
}

function read(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
}

function describe(name: string, text: string) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const extension = extname(name);
  return { path: `assets/${name.replace(extension, `.${hash}${extension}`)}`, extension, text };
}
