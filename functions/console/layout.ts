import { actions } from '../../shared/events/actions/actions.ts';
import { assetPath } from './assets.ts';
import { searchInput } from './components/form.ts';
import { type Html, html } from './html.ts';
import type { Page, PageContext } from './page.ts';

const tabs = {
  overview: ['.', 'Overview', 'o'],
  groups: ['groups', 'Errors', 'e'],
  events: ['events', 'Events', 'v'],
  runs: ['runs', 'Runs', 'r'],
  targets: ['targets', 'Targets', 't'],
  activity: ['activity', 'Activity', 'a'],
} as const satisfies Record<NonNullable<Page['tab']>, readonly [href: string, name: string, key: string]>;

/** The whole document. Links are relative to the base path of the console. */
export function layout(context: PageContext, page: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<base href="${context.base}">
<title>${context.environment && `${context.environment} · `}${page.title} · Dead Letter Office</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('console.css')}">
<script type="module" src="${assetPath('console.js')}"></script>
</head>
<body>
<a class="skip" href="${context.path.slice(1)}${withQuery(context)}#main">Skip to content</a>
<header class="topbar ${toneOf(context.environment)}">
  <a class="brand" href="."><img src="${assetPath('icon.svg')}" alt="" width="20" height="20"><span class="name">Dead Letter Office</span></a>${context.environment && html`<span class="environment">${context.environment}</span>`}
  <nav class="tabs" aria-label="Pages">${Object.entries(tabs).map(([tab, [href, name, key]]) => html`<a href="${href}" data-go="${key}"${tab === page.tab && html` aria-current="page"`}>${name}</a>`)}</nav>
  <div class="tools">${!page.hasSearch && searchBox}</div>
</header>
<main id="main" tabindex="-1">
${context.notice && html`<p class="notice" role="status">${context.notice}${context.undo && html` <a href="${context.undo}">Undo…</a>`}</p>`}
${page.main}
</main>
<footer class="footer muted">
  <span>${signedIn(context.caller)}${operatorLink(context)}</span>${context.caller.via === 'iap' && signOut}
  <span>Times are in <span data-zone>UTC</span></span>
  <button type="button" class="link" data-script popovertarget="shortcuts">Keyboard shortcuts</button>
</footer>
${keyboardHelp}
</body>
</html>
`;
}

/** Production and a stage before it have a color of their own. */
function toneOf(environment: string): string {
  if (/prod|live|prd/i.test(environment) && !/non-?prod|pre-?prod/i.test(environment)) return 'production';
  return /stag|test|qa|uat|prod|int/i.test(environment) ? 'staging' : '';
}

const shortcuts = [
  ['/', 'search'],
  ['j, k', 'next and previous row'],
  ['x', 'select the row'],
  ['r', 'replay what is selected or shown'],
  ['a, e, m', 'acknowledge, resolve, mute errors'],
  [actions.map(({ key }) => key).join(', '), actions.map(({ name }) => name).join(', ')],
  ...Object.values(tabs).map(([, name, key]) => [`g ${key}`, name.toLowerCase()] as const),
] as const;

/** Without script there are no shortcuts. */
const keyboardHelp = html`<dialog id="shortcuts" popover aria-labelledby="shortcuts-title">
  <h2 id="shortcuts-title">Keyboard shortcuts</h2>
  <dl class="facts">${shortcuts.map(([keys, purpose]) => html`<dt><kbd>${keys}</kbd></dt><dd>${purpose}</dd>`)}</dl>
</dialog>`;

const searchBox = html`<form role="search" action="events">${searchInput('events', { placeholder: 'Search events' })}</form>`;

function signedIn({ name, isOperator }: PageContext['caller']): string {
  return name === '' ? 'Not signed in' : `Signed in as ${name}${isOperator ? '' : ' (viewer)'}`;
}

/** Leads a user who may be an operator to the same page for operators. */
function operatorLink(context: PageContext): Html | undefined {
  const { operatorPath } = context.caller;
  if (!operatorPath) return undefined;
  return html` <a href="${operatorPath}${context.path.slice(1)}${withQuery(context)}">Act as an operator</a>`;
}

/**
 * Identity-Aware Proxy clears its cookies:
 * https://docs.cloud.google.com/iap/docs/query-parameters-and-headers-howto
 */
const signOut = html`<a href="?gcp-iap-mode=CLEAR_LOGIN_COOKIE">Sign out</a>`;

function withQuery({ query }: PageContext): string {
  return query.size > 0 ? `?${query}` : '';
}
