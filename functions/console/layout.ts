import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Handler } from 'hono';
import { errorCodeOf } from '../../shared/database/unavailable.ts';
import {
  DatabaseUnavailableError,
  DeadLetterError,
  InputError,
  NotFoundError,
  type Problem,
  statuses,
} from '../../shared/errors.ts';
import { actions } from '../../shared/events/actions/actions.ts';
import { logError } from '../endpoint.ts';
import { searchInput } from './components/form.ts';
import { searchLink } from './components/links.ts';
import { type Html, html } from './html.ts';
import { addressOf, type Page, type PageContext } from './page.ts';

const tabs = [
  ['.', 'Overview', 'o'],
  ['groups', 'Errors', 'e'],
  ['events', 'Events', 'v'],
  ['runs', 'Runs', 'r'],
  ['targets', 'Targets', 't'],
  ['activity', 'Activity', 'a'],
] as const;

/** The whole document. Links are relative to the base path of the console. */
export function layout(context: PageContext, page: Page): Html {
  const current = context.path.split('/')[1] || '.';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<base href="${context.base}">
<title>${context.environment && `${context.environment} · `}${page.title} · Dead Letter Office</title>
<link rel="icon" type="image/svg+xml" href="${assets['icon.svg'].path}">
<link rel="stylesheet" href="${assets['console.css'].path}">
<script type="module" src="${assets['console.js'].path}"></script>
</head>
<body>
<a class="skip" href="${context.base}${addressOf(context)}#main">Skip to content</a>
<header class="topbar ${toneOf(context.environment)}">
  <a class="brand" href="."><img src="${assets['icon.svg'].path}" alt="" width="20" height="20"><span class="name">Dead Letter Office</span></a>${context.environment && html`<span class="badge truncate" title="${context.environment}">${context.environment}</span>`}
  <nav class="tabs" aria-label="Pages">${tabs.map(([href, name, key]) => html`<a href="${href}" data-go="${key}"${href === current && html` aria-current="page"`}>${name}</a>`)}</nav>
  <div class="tools">${!page.hasSearch && html`<form role="search" action="events">${searchInput('events', { placeholder: 'Search events' })}</form>`}</div>
</header>
<main id="main" tabindex="-1">
${context.notice && html`<p class="notice" role="status" tabindex="-1" autofocus>${context.notice}${context.undo && html` <a href="activity/${context.undo}/undo">Undo…</a>`}</p>`}
${page.main}
</main>
<footer class="footer muted">
  <span>${signedIn(context.caller)}${context.caller.operatorPath && html` <a href="${context.caller.operatorPath}${addressOf(context)}">Act as an operator</a>`}</span>${context.caller.via === 'iap' && signOut}
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
  ...tabs.map(([, name, key]) => [`g ${key}`, name.toLowerCase()] as const),
] as const;

/** Without script there are no shortcuts. */
const keyboardHelp = html`<dialog id="shortcuts" popover aria-labelledby="shortcuts-title">
  <h2 id="shortcuts-title">Keyboard shortcuts</h2>
  <dl class="facts">${shortcuts.map(([keys, purpose]) => html`<dt><kbd>${keys}</kbd></dt><dd>${purpose}</dd>`)}</dl>
</dialog>`;

function signedIn({ name, isOperator }: PageContext['caller']): string {
  return name === '' ? 'Not signed in' : `Signed in as ${name}${isOperator ? '' : ' (viewer)'}`;
}

/** Clears the cookies of IAP: https://docs.cloud.google.com/iap/docs/query-parameters-and-headers-howto */
const signOut = html`<a href="?gcp-iap-mode=CLEAR_LOGIN_COOKIE">Sign out</a>`;

const databaseErrors: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  // query_canceled, by statement_timeout.
  '57014': [
    'The query timed out',
    'Nothing was changed. Narrow the search: a shorter period, or one event type.',
  ],
  // read_only_sql_transaction
  '25006': ['This console reads from a replica', 'It is read-only. Make changes on the primary.'],
};

/** The page for an error, with a remedy where one is known. The text of an unexpected one is only logged. */
export function errorPage(error: unknown, path: string): Page {
  if (error instanceof InputError) return page(400, 'Invalid request', listProblems(error.problems));
  if (error instanceof NotFoundError) return notFound(error.message, path);
  const known = databaseErrors[errorCodeOf(error)];
  if (known) return page(422, known[0], html`<p>${known[1]}</p>`);
  const status = logError(error);
  if (!(error instanceof DeadLetterError) || status === 500)
    return page(500, 'Internal error', html`<p>The log of the console has the details.</p>`);
  const [title = '', ...rest] = error.message.split(/(?<=\.) /);
  const isUnknown = error instanceof DatabaseUnavailableError && error.condition === undefined;
  const details = isUnknown ? whatToDo : html`<p>${rest.join(' ')}</p>`;
  return page(status, title, details);
}

const whatToDo = html`<p>No event is lost: senders repeat what capture cannot store now, and due events wait.</p>
  <p>Check that PostgreSQL runs and answers, in Cloud SQL or in the terminal of <code>npm start</code>; this page
  then comes back by itself. What a form sent may have been done: <a href="activity">Activity</a> has it then.</p>`;

function page(status: number, title: string, details?: Html): Page {
  const main = html`<div class="empty" role="alert" tabindex="-1" autofocus><h1>${title}</h1>${details}<p><a href=".">Go to the overview</a></p></div>`;
  return { title, status, main };
}

function notFound(title: string, path: string): Page {
  const id = /^\/events\/(\d+)/.exec(path)?.[1];
  const searches =
    id &&
    html`<p>Archived events keep their ids, until their month is dropped from the archive. ${id} may also be a key or another id:</p>
      <p class="actions"><a class="button" href="${searchLink(id)}">Search for it</a> <a class="button" href="${searchLink(id, 'events/archive')}">Search the archive</a></p>`;
  return page(404, title, html`${searches}`);
}

/** Why a form was rejected, for the page that has it. Rethrows an error that no form can mend. */
export function describeRejection(error: unknown): Html {
  if (error instanceof InputError) return listProblems(error.problems);
  if (!(error instanceof DeadLetterError) || statuses[error.code] !== 409) throw error;
  return html`<p class="warning" role="status" tabindex="-1" autofocus>${error.message}</p>`;
}

/** Every problem with its remedy. */
export function listProblems(problems: readonly Pick<Problem, 'field' | 'remedy'>[]): Html {
  return html`<ul tabindex="-1" autofocus class="problems">${problems.map(
    ({ field, remedy }) => html`<li><code>${field}</code> ${remedy}</li>`,
  )}</ul>`;
}

/** The stylesheets in order of the cascade. */
const styles = ['tokens', 'base', 'layout', 'lists', 'event', 'print'].map((name) => `styles/${name}.css`);

const assets = {
  'console.css': readAsset('console.css', 'text/css; charset=utf-8', styles),
  'console.js': readAsset('console.js', 'text/javascript; charset=utf-8'),
  'icon.svg': readAsset('icon.svg', 'image/svg+xml'),
};

/** Answers `GET /assets/:name`. A name never changes its content, so that browsers may cache it forever. */
export const serveAsset: Handler = (c, next) => {
  const asset = Object.values(assets).find(({ path }) => path === `assets/${c.req.param('name')}`);
  if (!asset) return next();
  const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
  return c.body(asset.text, 200, headers);
};

/** The path below the console has a hash of the content. */
function readAsset(name: string, type: string, files: readonly string[] = [name]) {
  const text = files.map((file) => readFileSync(new URL(`assets/${file}`, import.meta.url), 'utf8')).join('');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { type, text, path: `assets/${name.replace('.', `.${hash}.`)}` };
}
