import { check } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { type AuditEntry, listAudit } from '../../../shared/events/audit.ts';
import { maxBigint, readId } from '../../../shared/events/event-id.ts';
import { type Filter, FilterSchema } from '../../../shared/events/filter/filter-schema.ts';
import { resolveTime } from '../../../shared/events/filter/filter-time.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { isHidden } from '../../../shared/events/masking/mask-request.ts';
import { periods, selectField, textField } from '../components/form.ts';
import { moment } from '../components/format.ts';
import { pager } from '../components/links.ts';
import { pageHead } from '../components/section.ts';
import { table } from '../components/table.ts';
import { shortenTarget, targetLink } from '../components/target-state.ts';
import { searchLink } from '../events/search.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';

const pageSize = 50;

/** The recorded actions, with their words on the page. */
const actionNames: Readonly<Record<string, string>> = {
  'create run': 'replayed',
  'pause run': 'paused a run',
  'resume run': 'resumed a run',
  'cancel run': 'cancelled a run',
  'run tick': 'requested a tick',
  'hold target': 'held a target',
  'release target': 'released a target',
  discard: 'discarded',
  reopen: 'reopened',
  reprioritize: 'reprioritized',
  restore: 'restored from the archive',
  unmask: 'unmasked',
  'compare masked values': 'compared masked values',
  'change group': 'changed an error',
  'merge group': 'merged an error',
  'split group': 'split an error',
  'reopen group': 'reopened an error',
};

/** `GET /activity?actor=&action=&since=&before=`: one page of the actions of operators, the newest first. */
export async function activityPage(deps: ConsoleDeps, { query, now }: PageContext): Promise<Page> {
  const before = readId(query.get('before')) ?? maxBigint;
  const [actor, action] = [query.get('actor')?.trim() || undefined, query.get('action') || undefined];
  const since = periods.find(([value]) => value !== '' && value === query.get('since'))?.[0];
  const terms = { actor, action, since: since && resolveTime(since, now) };
  const rows = await listAudit(deps, terms, { before, max: pageSize + 1 });
  const entries = rows.slice(0, pageSize);
  const fields = { ...(actor && { actor }), ...(action && { action }), ...(since && { since }) };
  const link = (more: Readonly<Record<string, string>> = {}) =>
    `activity?${new URLSearchParams({ ...fields, ...more })}`;
  const next = rows.length > pageSize && link({ before: entries.at(-1)?.id ?? '' });
  const main = html`${pageHead('Activity')}
    <form action="activity" class="filter-form">
      ${textField({ name: 'actor', label: 'Who', value: actor, placeholder: 'ada@example.com' })}
      ${selectField({ name: 'action', label: 'What', value: action, options: [['', 'all actions'], ...Object.entries(actionNames)] })}
      ${selectField({ name: 'since', label: 'When', value: since, options: periods })}
      <button>Show</button>
    </form>
    ${entries.length === 0 ? noActions : actionTable(entries)}
    ${pager(next, before !== maxBigint && link())}`;
  return { title: 'Activity', tab: 'activity', main };
}

const noActions = html`<div class="empty"><h2>No action matches</h2><p>Replays, discards and all other actions of operators are listed here.</p></div>`;

function actionTable(entries: readonly AuditEntry[]): Html {
  return table('activity', entries, [
    ['When', 'nowrap', ({ at }) => moment(at)],
    ['Who', '', ({ actor }) => actor],
    ['What', '', (entry) => html`${nameAction(entry)} ${describeObject(entry)}`],
    ['Why', 'wrap', ({ reason }) => reason],
  ]);
}

const stateChanges: Readonly<Record<string, string>> = {
  OPEN: 'reopened an error',
  ACKNOWLEDGED: 'acknowledged an error',
  MUTED: 'muted an error',
  RESOLVED: 'resolved an error',
};

/** The words of an action, before the run or the error that it was on. */
function nameAction({ action, runId, details }: AuditEntry): string {
  const { from, to } = details as Readonly<Record<string, unknown>>;
  const [before, after] = [stateOf(from), stateOf(to)];
  if (action === 'change group' && after !== before) return stateChanges[after] ?? action;
  const words = actionNames[action] ?? action;
  return runId === null ? words : words.replace(/ a run$/, '');
}

/** The state in the details of a changed error; empty for another action. */
function stateOf(details: unknown): string {
  return typeof details === 'object' && details !== null && 'state' in details ? String(details.state) : '';
}

/** The events, run, error or target that an action was on, with the way back from a discard. */
function describeObject({ action, eventId, runId, details, outcome }: AuditEntry): Content {
  const { filter, fingerprint, merged, edited, target } = details as Readonly<Record<string, unknown>>;
  const { changed } = (outcome ?? {}) as Readonly<Record<string, unknown>>;
  const selected = filterOf(filter);
  const events = typeof changed === 'number' ? countOf(changed, 'event') : 'events';
  return [
    eventId && html`<a href="events/${eventId}">event ${eventId}</a> `,
    selected &&
      (isHidden(selected)
        ? `${events} `
        : html`<a href="${searchLink(printFilterText(selected))}">${events}</a> `),
    runId && html`<a href="runs/${runId}">run ${runId}</a> `,
    edited === true && html`<span class="badge">edited</span> `,
    typeof fingerprint === 'string' &&
      html`<a href="groups/${encodeURIComponent(fingerprint)}">${fingerprint}</a> `,
    typeof merged === 'string' && html`<span class="muted">with</span> ${merged} `,
    action.endsWith(' target') &&
      typeof target === 'string' &&
      html`<a href="${targetLink(target)}">${shortenTarget(target)}</a> `,
    action === 'discard' &&
      selected &&
      !isHidden(selected) &&
      html`· <a class="small" href="${reopenLink(selected)}">Reopen…</a>`,
  ];
}

function reopenLink(filter: Filter): string {
  const q = printFilterText({ ...filter, status: ['DISCARDED'] });
  return `events/reopen?${new URLSearchParams({ q })}`;
}

function filterOf(filter: unknown): Filter | undefined {
  const checked = filter === undefined ? undefined : check(FilterSchema, filter);
  return checked?.ok ? checked.value : undefined;
}
