import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Request, Response } from 'express';

// In order of the cascade.
const styles = 'tokens reset layout typography components controls event events overview runs'.split(' ');

const assets = {
  'console.css': describe(
    'console.css',
    'text/css',
    Buffer.concat(styles.map((name) => read(`styles/${name}.css`))),
  ),
  'console.js': describe('console.js', 'text/javascript', read('console.js')),
  'icon.svg': describe('icon.svg', 'image/svg+xml', read('icon.svg')),
};

const byPath = new Map(Object.values(assets).map((asset) => [asset.path, asset]));

/** The path of an asset below the console. The name contains a hash of the content. */
export function assetPath(name: keyof typeof assets): string {
  return assets[name].path;
}

/** Answers `GET /assets/:name`. A name never changes its content, so that browsers may cache it forever. */
export function serveAsset(request: Request, response: Response, next: () => void): void {
  const asset = byPath.get(`assets/${request.params.name}`);
  if (!asset) {
    next();
    return;
  }
  response.setHeader('cache-control', 'public, max-age=31536000, immutable');
  response.type(asset.type).send(asset.body);
}

function read(name: string): Buffer {
  return readFileSync(new URL(`assets/${name}`, import.meta.url));
}

function describe(name: string, type: string, body: Buffer) {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { path: `assets/${name.replace('.', `.${hash}.`)}`, type, body };
}
