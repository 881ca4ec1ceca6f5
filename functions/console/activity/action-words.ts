import { check } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import { type AuditEntry, isEdit } from '../../../shared/events/audit.ts';
import { type Filter, FilterSchema } from '../../../shared/events/filter/filter-schema.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { moment } from '../components/format.ts';
import { groupPath, searchLink } from '../components/links.ts';
import { linkTarget } from '../components/target-state.ts';
import { type Content, html } from '../html.ts';

/** The recorded actions, with their words on the page. */
export const actionNames: Readonly<Record<string, string>> = {
  'create run': 'replayed',
  'pause run': 'paused a run',
  'resume run': 'resumed a run',
  'cancel run': 'cancelled a run',
  'run tick': 'requested a tick',
  'hold target': 'held a target',
  'release target': 'released a target',
  'pause schedule': 'paused the schedule',
  'resume schedule': 'resumed the schedule',
  stop: 'stopped all deliveries',
  ...Object.fromEntries(actions.map(({ name, done }) => [name, done])),
  edit: 'edited',
  import: 'imported',
  undo: 'undid',
  restore: 'restored from the archive',
  unmask: 'unmasked',
  'compare masked values': 'compared masked values',
  'change group': 'changed an error',
  'merge group': 'merged an error',
  'split group': 'split an error',
  'reopen group': 'reopened an error',
  'save view': 'saved a view',
  'remove view': 'removed a view',
};

/** What an entry of the audit records about its action. */
type Facts = Readonly<Record<string, unknown>>;

const stateChanges: Readonly<Record<string, string>> = {
  OPEN: 'reopened an error',
  REGRESSED: 'saw an error again: regressed',
};

/** The values that an action set. Of a change by the service itself only the state is recorded, as a text. */
function changesOf({ action, details }: AuditEntry): Facts {
  if ('sets' in details) return details.sets as Facts;
  if (action !== 'change group' && action !== 'reopen group') return {};
  const { from, to } = details as Facts;
  const read = (side: unknown) => Object.entries(typeof side === 'object' ? { ...side } : { state: side });
  const before = new Map(read(from));
  return Object.fromEntries(read(to).filter(([name, value]) => value !== before.get(name)));
}

/** The words of an action, before the run or the error that it was on. */
export function nameAction(entry: AuditEntry): string {
  const { action, runId } = entry;
  const { state } = changesOf(entry);
  if (typeof state === 'string') return stateChanges[state] ?? `${state.toLowerCase()} an error`;
  const words = isEdit(entry) ? 'edited' : (actionNames[action] ?? action);
  return runId === null ? words : words.replace(/ a run$/, '');
}

function describeChange(entry: AuditEntry): Content {
  const { owner, note, muted_until, retry_after: until = muted_until, priority } = changesOf(entry);
  return [
    typeof until === 'string' && until !== 'now' && html`until ${moment(new Date(until))} `,
    priority !== undefined && `to ${priority} `,
    owner !== undefined && (owner === null ? 'without an owner ' : `for ${String(owner)} `),
    note !== undefined && 'with another note ',
  ];
}

/** The events, run, error or target that an action was on. */
export function describeObject(entry: AuditEntry): Content {
  const { action, eventId, runId, details, title } = entry;
  const { selected, fingerprint, merged, field, value, target, undoes, undone, view } = details as Facts;
  const terms = changedEvents(details);
  const { changed = terms?.ids?.length } = (entry.outcome ?? {}) as { readonly changed?: number };
  const events = changed === undefined ? 'events' : countOf(changed, 'event');
  return [
    eventId && html`<a href="events/${eventId}">event ${eventId}</a> `,
    terms && html`<a href="${searchLink(printFilterText(terms))}">${events}</a> `,
    runId && html`<a href="runs/${runId}">run ${runId}</a> `,
    typeof selected === 'number' && `(${countOf(selected, 'event')}) `,
    typeof merged === 'string' && `${merged} ${action === 'split group' ? 'off' : 'into'} `,
    title && typeof fingerprint === 'string' && html`<a href="${groupPath(fingerprint)}">${title}</a> `,
    field !== undefined && `by ${String(field)} “${String(value)}” `,
    describeChange(entry),
    action.endsWith(' target') && typeof target === 'string' && html`${linkTarget(target)} `,
    typeof view === 'string' && `${view} `,
    typeof undone === 'string' &&
      html`<a href="activity/${String(undoes)}/undo">“${actionNames[undone] ?? undone}”</a> ${changed !== undefined && `(${countOf(changed, 'event')})`}`,
  ];
}

/** The events of an action by its recorded request: they have the status that it set. */
export function changedEvents(details: AuditEntry['details']): Filter | undefined {
  const { filter, sets } = details as Readonly<Record<string, Facts | undefined>>;
  const status = sets?.status === undefined ? {} : { status: sets.status };
  const checked = filter && check(FilterSchema, { ...filter, ...status });
  return checked?.ok ? checked.value : undefined;
}
