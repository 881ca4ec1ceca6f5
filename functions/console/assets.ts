import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Handler } from 'hono';

// In order of the cascade.
const styles = ['tokens', 'base', 'layout', 'lists', 'event', 'print'];

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' };

const readAssets = () => ({
  'console.css': hashAsset('console.css', styles.map((name) => read(`styles/${name}.css`)).join('')),
  'console.js': hashAsset('console.js', read('console.js')),
  'icon.svg': hashAsset('icon.svg', read('icon.svg')),
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
export const serveAsset: Handler = (c, next) => {
  const path = `assets/${c.req.param('name')}`;
  const asset = Object.values(findAssets()).find((each) => each.path === path);
  if (!asset) return next();
  const headers = {
    'content-type': asset.type,
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return c.body(asset.text, 200, headers);
};

function read(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
}

function hashAsset(name: `${string}.${keyof typeof types}`, text: string) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const [base = '', extension] = name.split('.') as [string, keyof typeof types];
  return { path: `assets/${base}.${hash}.${extension}`, type: types[extension], text };
}
