import type { GroupAction } from '../../../shared/groups/error-groups.ts';
import { section } from '../components/section.ts';
import { actionEntry, listEntries } from '../events/timeline.ts';
import { type Html, html } from '../html.ts';

/** The changes of a group by operators and by the service, latest first. */
export function groupHistory(actions: readonly GroupAction[]): Html | false {
  if (actions.length === 0) return false;
  const entries = actions.map((action) =>
    actionEntry(action.at, html`<strong>${action.actor}</strong> ${describe(action)}`, action.reason),
  );
  return section('History', listEntries(entries));
}

function describe({ details }: GroupAction): string {
  const [from, to] = [readDetails(details.from), readDetails(details.to)];
  const changes = [
    from.state !== to.state && `changed the state to ${String(to.state).toLowerCase()}`,
    to.owner !== undefined &&
      from.owner !== to.owner &&
      (to.owner === null ? 'removed the owner' : `assigned it to ${String(to.owner)}`),
    to.note !== undefined && from.note !== to.note && 'changed the note',
  ];
  return changes.filter(Boolean).join(', ') || 'changed nothing';
}

/** A change by the service itself records only the state, as a string. */
function readDetails(side: unknown): { state?: unknown; owner?: unknown; note?: unknown } {
  return typeof side === 'object' && side !== null ? side : { state: side };
}
