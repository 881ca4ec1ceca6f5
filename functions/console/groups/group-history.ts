import type { GroupAct } from '../../../shared/error-groups.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../parts/icon.ts';
import { moment } from '../parts/time.ts';

/** What people, and the office itself, did with a group, the latest first. */
export function groupHistory(acts: readonly GroupAct[]): Html | false {
  if (acts.length === 0) return false;
  return html`<section aria-labelledby="history"><h2 id="history">History</h2><ol class="timeline">${acts.map(
    (
      act,
    ) => html`<li class="busy">${icon('acknowledged')}<div><p><strong>${act.actor}</strong> ${describe(act)} ${moment(act.at)}</p>
      ${act.reason && html`<p class="answer">${act.reason}</p>`}</div></li>`,
  )}</ol></section>`;
}

/** What an act changed, in words. */
function describe({ details }: GroupAct): string {
  const [from, to] = [readSide(details.from), readSide(details.to)];
  const changes = [
    from.state !== to.state && `made it ${String(to.state).toLowerCase()}`,
    to.owner !== undefined &&
      from.owner !== to.owner &&
      (to.owner === null ? 'took the owner away' : `gave it to ${String(to.owner)}`),
    to.note !== undefined && from.note !== to.note && 'changed the note',
  ];
  return changes.filter(Boolean).join(', ') || 'looked after it';
}

/** An act of the office tells nothing but the state. */
function readSide(side: unknown): { state?: unknown; owner?: unknown; note?: unknown } {
  return typeof side === 'object' && side !== null ? side : { state: side };
}
