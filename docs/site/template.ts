import { sections } from './pages.ts';
import type { Page } from './render-page.ts';

/** The whole document of a page, with the navigation of those that exist. */
export function printDocument(page: Page, pages: ReadonlyMap<string, Page>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Dead Letter Office</title>
<link rel="stylesheet" href="site.css">
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header><a href="start.html">Dead Letter Office</a></header>
<nav aria-label="Pages">${printNavigation(page, pages)}</nav>
<main id="page">${page.html}</main>
</body>
</html>
`;
}

function printNavigation(page: Page, pages: ReadonlyMap<string, Page>): string {
  const items = (names: readonly string[]) =>
    names
      .flatMap((name) => pages.get(name) ?? [])
      .map(({ name, title }) => {
        const current = name === page.name ? ' aria-current="page"' : '';
        return `<li><a href="${name}.html"${current}>${title}</a></li>`;
      })
      .join('');
  return Object.entries(sections)
    .map(([heading, names]) => `<h2>${heading}</h2><ul>${items(names)}</ul>`)
    .join('');
}
