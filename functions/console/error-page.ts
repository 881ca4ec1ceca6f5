import { InputError, OfficeError, type Problem } from '../../shared/errors.ts';
import { log } from '../../shared/log.ts';
import { statuses } from '../endpoint.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';

/** What PostgreSQL refuses for reasons that a person can do something about. */
const refusals: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  // query_canceled, by statement_timeout.
  '57014': [
    'The answer took too long',
    'Nothing was changed. Ask for less: a shorter time, or one event type.',
  ],
  // read_only_sql_transaction
  '25006': ['This console reads from a replica', 'It can only look. Act where the primary is.'],
};

/** The page that says what went wrong and what to do about it. What nobody foresaw is logged, and not shown. */
export function errorPage(error: unknown): Page {
  if (error instanceof InputError)
    return explain(400, 'This cannot be done as it is', listProblems(error.problems));
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const status = statuses[code];
  if (error instanceof OfficeError && status) {
    if (status === 503) log('ERROR', error.message, { cause: String(error.cause) });
    return explain(status, error.message);
  }
  log('ERROR', error instanceof Error ? (error.stack ?? error.message) : String(error));
  const [title, advice] = refusals[code] ?? [
    'Something unexpected went wrong',
    'The log of the console says what.',
  ];
  return explain(code in refusals ? 503 : 500, title, html`<p>${advice}</p>`);
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
