import type { GroupAction } from '../../../shared/groups/error-groups.ts';
import { moment } from '../components/format.ts';
import { section } from '../components/section.ts';
import { actionEntry, listEntries } from '../events/timeline.ts';
import { type Content, type Html, html } from '../html.ts';

/** The changes of a group by operators and by the service, latest first. */
export function groupHistory(actions: readonly GroupAction[]): Html | false {
  if (actions.length === 0) return false;
  const entries = actions.map((action) =>
    actionEntry(action.at, html`<strong>${action.actor}</strong> ${describe(action)}`, action.reason),
  );
  return section('History', listEntries(entries));
}

const stateChanges: Readonly<Record<string, string>> = {
  OPEN: 'reopened it',
  ACKNOWLEDGED: 'acknowledged it',
  MUTED: 'muted it',
  RESOLVED: 'resolved it',
  REGRESSED: 'saw it again: regressed',
};

function describe({ action, details }: GroupAction): Content {
  const { fingerprint, merged } = details;
  if (action === 'merge group') return `merged ${String(merged)} into ${String(fingerprint)}`;
  if (action === 'split group')
    return `split ${String(merged)} off ${String(fingerprint)}${describeRule(details)}`;
  const [from, to] = [readDetails(details.from), readDetails(details.to)];
  const until = typeof to.muted_until === 'string' && html` until ${moment(new Date(to.muted_until))}`;
  const changes = [
    (from.state !== to.state || until) && html`${stateChanges[String(to.state)]}${until}`,
    to.owner !== undefined &&
      from.owner !== to.owner &&
      (to.owner === null ? 'removed the owner' : `assigned it to ${String(to.owner)}`),
    to.note !== undefined && from.note !== to.note && 'changed the note',
  ];
  const said = changes.filter((change) => change !== false);
  return said.length > 0 ? said.map((change, i) => html`${i > 0 && ', '}${change}`) : 'changed nothing';
}

/** The rule by which a group was split. */
function describeRule({ field, value }: GroupAction['details']): string {
  if (field === undefined) return '';
  return `, by ${String(field)} “${String(value)}”`;
}

/** A change by the service itself records only the state, as a string. */
function readDetails(side: unknown): Readonly<Record<string, unknown>> {
  return typeof side === 'object' && side !== null ? { ...side } : { state: side };
}
