import { countOf } from '../../../shared/count-of.ts';
import { listRunEvents } from '../../../shared/replay/list-run-events.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import type { ShownRun } from '../runs/run-facts.ts';

/** A notice that a run sends edited messages, by whom, with a link to the difference of its first event. */
export async function editedNotice(deps: ConsoleDeps, run: ShownRun): Promise<Html | false> {
  const { edited, id, requestedBy, patch, state, progress } = run;
  if (!edited) return false;
  const [first] = await listRunEvents(deps, { runId: id, limit: 1 });
  const subject = patch === null ? 'the message' : `${countOf(progress.selected, 'message')} by a patch`;
  const link =
    first &&
    html` <a href="runs/${id}/events/${first.id}">The difference${patch !== null && ` of event ${first.id}`}</a>.`;
  const open =
    state !== 'ended' &&
    progress.waiting > 0 &&
    ' Its waiting events are out of the schedule; if you cancel it, they return to the schedule with their captured messages.';
  return html`<p class="notice"><span class="badge">edited</span> <strong>${requestedBy}</strong> edited ${subject}.${link}${open}</p>`;
}
