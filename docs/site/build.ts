import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sections } from './pages.ts';
import { type Page, renderPage } from './render-page.ts';
import { printDocument } from './template.ts';

const docs = path.resolve(import.meta.dirname, '..');

/** Writes the pages of docs/ as a site of static files into a folder, in place of what is there. */
export function buildSite(folder: string): ReadonlyMap<string, Page> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = new Map<string, Page>();
  for (const name of Object.values(sections).flat()) {
    const file = path.join(docs, `${name}.md`);
    if (existsSync(file)) pages.set(name, renderPage(name, readFileSync(file, 'utf8')));
  }
  for (const page of pages.values()) {
    writeFileSync(path.join(folder, `${page.name}.html`), printDocument(page, pages));
  }
  const [first] = pages.values();
  if (first) writeFileSync(path.join(folder, 'index.html'), printDocument(first, pages));
  cpSync(path.join(docs, 'site/site.css'), path.join(folder, 'site.css'));
  for (const pictures of ['pictures', 'screenshots']) {
    const isPicture = (file: string) => !file.endsWith('.ts');
    cpSync(path.join(docs, pictures), path.join(folder, pictures), { recursive: true, filter: isPicture });
  }
  return pages;
}

if (import.meta.main) {
  const folder = path.resolve(docs, '../dist/docs');
  const pages = buildSite(folder);
  console.log(`${pages.size} pages: ${path.join(folder, 'index.html')}`);
}
