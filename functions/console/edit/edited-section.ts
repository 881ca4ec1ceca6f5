import { getRun } from '../../../shared/replay/change-run.ts';
import type { RunEventView } from '../../../shared/replay/list-run-events.ts';
import type { Run } from '../../../shared/replay/run.ts';
import { showRunEvent } from '../../../shared/replay/show-run-event.ts';
import { collapsible, section } from '../components/section.ts';
import { type MaskedEvent, unmaskIdOf } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { showChange } from './show-change.ts';

/** Bytes of a payload up to which the page of an event shows the difference; above, it links to it. */
const maxBytes = 262_144;

/**
 * The edited message that a replay sent, or waits to send, in place of an event's own: who, why, the
 * difference and its outcome.
 */
export async function editedSection(
  deps: ConsoleDeps,
  context: PageContext,
  event: MaskedEvent,
): Promise<Html | false> {
  const { id: eventId, editRunId, bytes } = event;
  if (editRunId === null) return false;
  const run = await getRun(deps.db, editRunId);
  const isUnmasked = unmaskIdOf(context) !== undefined && !event.isMasked;
  const shown = await showRunEvent(deps, run, { eventId, isUnmasked });
  if (!shown) return false;
  const link = html`<a href="runs/${run.id}/events/${eventId}">The difference</a>`;
  const difference = bytes > maxBytes ? link : collapsible('The difference', showChange(shown), true);
  return section(
    'Edited',
    html`<p><strong>${run.requestedBy}</strong> edited it for <a href="runs/${run.id}">run ${run.id}</a>${run.reason && `: ${run.reason}`}</p>
      <p>${describeOutcome(shown, run, event)}</p>${difference}${canDecide(event, context) && decisions(eventId, run.id)}`,
  );
}

function describeOutcome(shown: RunEventView, run: Run, event: MaskedEvent): string {
  const isOver = event.status === 'FAILED_PERMANENTLY';
  const waits = isOver
    ? ' The event waits for a decision: the schedule does not send the captured message.'
    : '';
  switch (shown.outcome) {
    case 'waiting':
      if (isOver) return `The edited message has not been sent.${waits}`;
      return `It waits in the run${run.pausedBecause === null ? '' : ', which is paused'}: the schedule does not send the captured message meanwhile.`;
    case 'delivered':
      return isOver
        ? `The edited message was delivered, and its consumer failed again.${waits}`
        : 'It was delivered with the edited message.';
    case 'failed':
      return `The edited message failed: ${shown.explanation ?? shown.reason}.${waits}`;
    case 'skipped':
      return `The edited message was not sent: ${shown.explanation ?? shown.reason}${waits}`;
  }
}

function canDecide({ status, isArchived }: MaskedEvent, { caller }: PageContext): boolean {
  return caller.isOperator && !isArchived && status === 'FAILED_PERMANENTLY';
}

/** Both ways on after an edited message failed; each is previewed. */
function decisions(eventId: string, runId: string): Html {
  return html`<div class="actions">
    <a class="button primary" href="events/${eventId}/edit?run=${runId}">Send it again…</a>
    <a class="button" href="events/reopen?q=id:${eventId}">Retry the captured message…</a></div>`;
}
