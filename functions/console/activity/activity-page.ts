import { countOf } from '../../../shared/count-of.ts';
import { findHold, type Hold } from '../../../shared/delivery/breakers.ts';
import { type AuditEntry, listAudit } from '../../../shared/events/audit.ts';
import { maxBigint, readId } from '../../../shared/events/event-id.ts';
import { resolveTime } from '../../../shared/time-text.ts';
import { selectField, textField } from '../components/form.ts';
import { moment } from '../components/format.ts';
import { pager } from '../components/links.ts';
import { emptyState, pageHead } from '../components/section.ts';
import { type Column, foldedTable, foldSome } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { actionNames, countMoved, describeObject, isUndoable, nameAction } from './action-words.ts';

const pageSize = 50;

/** Past periods to choose from: their ages in a filter, and their texts. */
const periods = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const;

/** `GET /activity?actor=&action=&since=&before=`: one page of the actions of operators, the newest first. */
export async function activityPage(deps: ConsoleDeps, { query, now, caller }: PageContext): Promise<Page> {
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
  const words = [['', 'all actions'], ...Object.entries(actionNames)] as const;
  const holds = caller.isOperator && (await findHold(deps.db, { name: null }));
  const main = html`${pageHead('Activity', [], html`<a href="activity/report">Report of a shift</a>`)}
    <form action="activity" class="filter-form">
      ${textField({ name: 'actor', label: 'Who', value: actor, placeholder: 'ada@example.com' })}
      ${selectField({ name: 'action', label: 'What', value: action, options: words })}
      ${selectField({ name: 'since', label: 'When', value: since, options: periods })}
      <button>Show</button>
    </form>
    ${entries.length === 0 ? noActions : actionTable(entries, holds)}
    ${pager(next, before !== maxBigint && link())}`;
  return { title: 'Activity', tab: 'activity', main };
}

const noActions = emptyState(
  'No action matches',
  html`<p>Replays, discards and all other actions of operators are listed here.</p>`,
);

/** The actions; for operators, who know what is held, each with its undo. */
function actionTable(entries: readonly AuditEntry[], holds: readonly Hold[] | false): Html {
  // An undo is later than its action, and so above it: another one would move nothing.
  const undone = new Set(entries.map(({ details }) => (details as { readonly undoes?: unknown }).undoes));
  const undo = (entry: AuditEntry) =>
    holds && !undone.has(entry.id) && isUndoable(entry, holds) && undoLink(entry);
  const columns: readonly Column<AuditEntry>[] = [
    ['When', 'wide-only', ({ at }) => moment(at)],
    ['Who', 'wide-only', ({ actor }) => actor],
    ['What', 'wrap', describeAction],
    ['Why', 'wrap wide-only', ({ reason }) => reason],
    [html`<span class="visually-hidden">Undo</span>`, 'num', undo],
  ];
  // Entries that show nothing else than another time, such as one search after the other.
  const alike = (entry: AuditEntry) =>
    `${entry.actor}: ${html`${nameAction(entry)} ${describeObject(entry)}`} ${entry.reason}`;
  return foldedTable('activity', foldSome(entries, alike), columns);
}

/** What was done; on a phone with what other columns have. */
function describeAction(entry: AuditEntry): Html {
  const { at, actor, reason } = entry;
  return html`${nameAction(entry)} ${describeObject(entry)}<div class="muted small narrow-only">${actor}, ${moment(at)}${reason && `: ${reason}`}</div>`;
}

function undoLink(entry: AuditEntry): Html {
  const moved = countMoved(entry);
  return html`<a class="small" href="activity/${entry.id}/undo">Undo${moved !== undefined && ` for ${countOf(moved, 'event')}`}…</a>`;
}
