import { NotFoundError } from '../../../shared/errors.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { getRun } from '../../../shared/replay/change-run.ts';
import { showRunEvent } from '../../../shared/replay/show-run-event.ts';
import { facts } from '../components/facts.ts';
import { moment } from '../components/format.ts';
import { pageHead, section } from '../components/section.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { runIdOf } from '../runs/run-actions.ts';
import { showChange } from './show-change.ts';

/**
 * `GET /runs/:id/events/:event`: one event of a replay, and its message before and after an edit. Throws a
 * NotFoundError.
 */
export async function runEventPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const run = await getRun(deps.db, runIdOf(context));
  const eventId = readId(context.params.event) ?? '0';
  const event = eventId === '0' ? undefined : await showRunEvent(deps, run, { eventId });
  if (!event) throw new NotFoundError(`Run ${run.id} has no event ${eventId}.`);
  const aside = html`<a class="button" href="events/${eventId}">Open the event</a>`;
  const main = html`${pageHead(
    run.isEdited ? `${event.eventType ?? 'A deleted event'}, edited` : (event.eventType ?? 'A deleted event'),
    [['Runs', 'runs'], [run.id, `runs/${run.id}`], [eventId]],
    aside,
  )}
    ${section(
      'Outcome',
      facts([
        [run.isEdited ? 'Edited by' : 'Replayed by', run.requestedBy],
        ['Reason', run.reason],
        ['Outcome', event.inFlight ? 'in flight' : event.outcome],
        ['Explanation', event.explanation],
        ['Settled', event.settledAt && moment(event.settledAt)],
        [
          'Sent',
          event.sentDigest &&
            html`<code title="SHA-256 of the body that was sent">${event.sentDigest}</code>`,
        ],
      ]),
    )}
    ${run.isEdited ? section('Difference', showChange(event)) : html`<p class="hint">The replay sent the captured message.</p>`}`;
  return { title: `Event ${eventId} of run ${run.id}`, tab: 'runs', main };
}
