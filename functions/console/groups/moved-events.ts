import { countOf } from '../../../shared/count-of.ts';
import type { MovedEvents } from '../../../shared/groups/error-groups.ts';
import { groupLink } from '../components/group-cells.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** The errors that events of a group have moved to, because their latest failure has another reason. */
export function movedSection(moved: readonly MovedEvents[]): Html | false {
  const total = moved[0]?.total;
  if (total === undefined) return false;
  const entries = moved.map(
    (group) =>
      html`<li><span class="wrap">${groupLink(group)}</span><span>${countOf(group.events, 'event')}</span></li>`,
  );
  const text = `${countOf(total, 'event')} failed first with this error, and later with another one.`;
  return section('Moved', html`<p class="hint">${text}</p><ul class="list">${entries}</ul>`);
}
