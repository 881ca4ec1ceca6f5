import { TooCostlyError } from '../../../shared/errors.ts';
import { type Html, html } from '../html.ts';

/** What was found, or what to ask instead, beside what was asked. */
export async function findWithinCost<Found extends object>(
  find: () => Promise<Found>,
): Promise<Found | { readonly tooCostly: Html }> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof TooCostlyError)) throw error;
    return { tooCostly: html`<p class="problems" role="alert">${error.message}</p>` };
  }
}
