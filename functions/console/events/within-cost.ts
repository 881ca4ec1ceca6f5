import { TooCostlyError } from '../../../shared/errors.ts';
import { type Html, html } from '../html.ts';

/** The result of a search, or advice how to narrow it if it would cost too much. */
export async function withinCost(search: () => Promise<Html>): Promise<Html> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof TooCostlyError)) throw error;
    return html`<p class="problems" role="alert">${error.message}</p>`;
  }
}
