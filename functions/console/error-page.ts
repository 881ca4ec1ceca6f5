import { errorCodeOf } from '../../shared/database/unavailable.ts';
import { DeadLetterError, InputError, NotFoundError, type Problem } from '../../shared/errors.ts';
import { log } from '../../shared/log.ts';
import { statuses } from '../endpoint.ts';
import { searchLink } from './events/search.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';

/** PostgreSQL errors that a user can do something about. */
const databaseErrors: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  // query_canceled, by statement_timeout.
  '57014': [
    'The query timed out',
    'Nothing was changed. Narrow the search: a shorter period, or one event type.',
  ],
  // read_only_sql_transaction
  '25006': ['This console reads from a replica', 'It is read-only. Make changes on the primary.'],
};

/**
 * The page for an error, with a remedy where one is known. Unexpected errors are logged and their text is not
 * shown.
 */
export function errorPage(error: unknown, path: string): Page {
  if (error instanceof InputError) return page(400, 'Invalid request', listProblems(error.problems));
  if (error instanceof NotFoundError) return notFound(error.message, path);
  const known = databaseErrors[errorCodeOf(error)];
  if (known) return page(503, known[0], html`<p>${known[1]}</p>`);
  const status = error instanceof DeadLetterError ? statuses[error.code] : undefined;
  if (error instanceof DeadLetterError && status) {
    if (status === 401 || status === 403) log('WARNING', `Request rejected. ${error.message}`);
    if (status === 503) log('ERROR', error.message, { cause: String(error.cause) });
    const [title = '', ...rest] = error.message.split(/(?<=\.) /);
    return page(status, title, html`<p>${rest.join(' ')}</p>`);
  }
  log('ERROR', error instanceof Error ? (error.stack ?? error.message) : String(error));
  return page(500, 'Internal error', html`<p>The log of the console has the details.</p>`);
}

function page(status: number, title: string, details?: Html): Page {
  const main = html`<div class="empty" role="alert"><h1>${title}</h1>${details}<p><a href=".">Go to the overview</a></p></div>`;
  return { title, status, main };
}

/** The next places to look in: searches for the id in the address, and the lists. */
function notFound(title: string, path: string): Page {
  const id = /^\/events\/(\d+)/.exec(path)?.[1];
  const searches =
    id &&
    html`<p>Archived events keep their ids, until their month is dropped from the archive. ${id} may also be a key or another id:</p>
      <p><a class="button" href="${searchLink(`text:${id}`)}">Search all fields</a> <a class="button" href="${searchLink(`contains:${id}`)}">Search payloads</a>
      <a class="button" href="${searchLink(`text:${id}`, 'events/archive')}">Search the archive</a></p>`;
  const lists = html`<p><a href="events">Events</a> · <a href="groups">Errors</a> · <a href="runs">Runs</a></p>`;
  return page(404, title, html`${searches}${lists}`);
}

/** The problems of an InputError. Rethrows any other error. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof InputError) return error.problems;
  throw error;
}

/** Every problem with its remedy. */
export function listProblems(problems: readonly Problem[]): Html {
  return html`<ul class="problems">${problems.map(
    ({ field, remedy }) => html`<li><code>${field}</code> ${remedy}</li>`,
  )}</ul>`;
}
