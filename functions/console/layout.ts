import { assetPath } from './assets.ts';
import { type Html, html } from './html.ts';
import { icon } from './parts/icon.ts';
import { postForm } from './parts/post-form.ts';
import type { Visit } from './visit.ts';

/** What a page brings; the layout is around it. */
export type Page = {
  readonly title: string;
  readonly status?: number;
  /** The tab it belongs to. */
  readonly tab?: Tab;
  /** It has a search of its own. */
  readonly hasSearch?: boolean;
  readonly main: Html;
};

const tabs = {
  overview: ['.', 'Overview'],
  groups: ['groups', 'Errors'],
  events: ['events', 'Events'],
  runs: ['runs', 'Runs'],
  targets: ['targets', 'Targets'],
} as const;

export type Tab = keyof typeof tabs;

/** The whole document. Links are relative to the console, wherever it is mounted. */
export function layout(visit: Visit, page: Page): Html {
  return html`<!doctype html>
<html lang="en"${visit.theme && html` data-theme="${visit.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<base href="${visit.base}">
<title>${page.title} · Dead Letter Office</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('console.css')}">
<script type="module" src="${assetPath('console.js')}"></script>
</head>
<body${visit.hasNews && html` data-news`}>
<a class="skip" href="${visit.path.slice(1)}${withQuery(visit)}#main">Skip to content</a>
<header class="top">
  <a class="brand" href="."><img src="${assetPath('icon.svg')}" alt="" width="20" height="20"><span class="name">Dead Letter Office</span></a>
  <nav class="tabs" aria-label="Pages">${Object.entries(tabs).map(([tab, [href, name]]) => tabLink(href, name, tab === page.tab))}</nav>
  <div class="tools">${!page.hasSearch && searchBox()}${themeSwitch(visit)}</div>
</header>
<main id="main" tabindex="-1">
${visit.notice && html`<p class="notice" role="status">${visit.notice}</p>`}
${page.main}
</main>
<footer class="foot">
  <span>${visit.caller.name}${!visit.caller.isOperator && ', who may look'}</span>
  <span data-zone-note>Times are in UTC</span>
  <button type="button" class="link" data-keys hidden>Keyboard shortcuts</button>
</footer>
${keyboardHelp}
</body>
</html>
`;
}

const shortcuts = [
  ['/', 'search'],
  ['j, k', 'next and previous row'],
  ['x', 'select the row'],
  ['g o', 'overview'],
  ['g e', 'errors'],
  ['g v', 'events'],
  ['g r', 'runs'],
  ['g t', 'targets'],
] as const;

/** Opened by the script, without which there are no shortcuts. */
const keyboardHelp = html`<dialog id="keys" aria-labelledby="keys-title"><form method="dialog">
  <h2 id="keys-title">Keyboard shortcuts</h2>
  <dl class="facts">${shortcuts.map(([keys, purpose]) => html`<dt><kbd>${keys}</kbd></dt><dd>${purpose}</dd>`)}</dl>
  <button>Close</button>
</form></dialog>`;

function tabLink(href: string, name: string, isHere: boolean): Html {
  return html`<a href="${href}"${isHere && html` aria-current="page"`}>${name}</a>`;
}

function searchBox(): Html {
  return html`<form class="search" role="search" action="events">
    ${icon('search')}<input type="search" name="q" aria-label="Search events" placeholder="Search events" data-search>
  </form>`;
}

/** Chooses what the page does not have now; where the system decides, the script knows what it has. */
function themeSwitch(visit: Visit): Html {
  const next = visit.theme === 'dark' ? 'light' : 'dark';
  return postForm(visit, {
    action: 'theme',
    content: html`<input type="hidden" name="back" value="${visit.path.slice(1)}${withQuery(visit)}">
    <button name="theme" value="${next}" class="plain" aria-label="Use the ${next} theme" data-theme-switch>${icon('moon')}${icon('sun')}</button>`,
  });
}

function withQuery({ query }: Visit): string {
  return query.size > 0 ? `?${query}` : '';
}
