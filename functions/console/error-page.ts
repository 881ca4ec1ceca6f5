import {
  DatabaseUnavailableError,
  ForbiddenError,
  InputError,
  NotAuthorizedError,
  NotFoundError,
  type Problem,
} from '../../shared/errors.ts';
import { log } from '../../shared/log.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';

/** PostgreSQL's word for a statement that was stopped because it took too long. */
const stopped = '57014';

/** The page that says what went wrong and what to do about it. What nobody foresaw is logged, and not shown. */
export function errorPage(error: unknown): Page {
  if (error instanceof InputError)
    return explain(400, 'This cannot be done as it is', listProblems(error.problems));
  if (error instanceof NotFoundError) return explain(404, error.message);
  if (error instanceof NotAuthorizedError) return explain(401, error.message);
  if (error instanceof ForbiddenError) return explain(403, error.message);
  if (error instanceof DatabaseUnavailableError) {
    log('ERROR', error.message, { cause: String(error.cause) });
    return explain(
      503,
      'The database cannot be reached right now',
      html`<p>Nothing was changed. Reload in a moment.</p>`,
    );
  }
  log('ERROR', error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (error instanceof Error && 'code' in error && error.code === stopped) {
    return explain(
      503,
      'The answer took too long',
      html`<p>Nothing was changed. Ask for less: a shorter time, or one event type.</p>`,
    );
  }
  return explain(500, 'Something unexpected went wrong', html`<p>The log of the console says what.</p>`);
}

function explain(status: number, title: string, more?: Html): Page {
  const main = html`<div class="empty" role="alert"><h1>${title}</h1>${more}<p><a href=".">Go to the overview</a></p></div>`;
  return { title, status, main };
}

/** Every problem with its remedy. */
export function listProblems(problems: readonly Problem[]): Html {
  return html`<ul class="problems">${problems.map(
    ({ field, remedy }) => html`<li><code>${field}</code> ${remedy}</li>`,
  )}</ul>`;
}
