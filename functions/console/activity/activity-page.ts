import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { periodUpTo } from '../../../shared/counts/periods.ts';
import { sumUp } from '../../../shared/counts/sum-steps.ts';
import type { Database } from '../../../shared/database/database.ts';
import { findHold } from '../../../shared/delivery/breakers.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { findRemaining, findUndoable, keptBecause } from '../../../shared/events/actions/undo-events.ts';
import { type AuditEntry, listAudit } from '../../../shared/events/audit.ts';
import { maxBigint, readId } from '../../../shared/events/event-id.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { undoAction } from '../../../shared/targets/change-hold.ts';
import { resolveTime } from '../../../shared/time-text.ts';
import { rangeWords } from '../components/chart.ts';
import { confirmForm, selectField, textField } from '../components/form.ts';
import { formatUtc, moment } from '../components/format.ts';
import { link, linkSwitch, pager } from '../components/links.ts';
import { readReason } from '../components/read-form.ts';
import { columns, copyable, countList, emptyState, facts, pageHead, section } from '../components/section.ts';
import { type Column, foldAlike, foldedTable } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';
import { maxGroups, readTopGroups, type TopGroup } from '../overview/overview.ts';
import { findProblems, readProgress } from '../overview/problems.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { actionNames, describeObject, nameAction } from './action-words.ts';

const pageSize = 50;

const periods = [
  ['', 'any time'],
  ...Object.entries(rangeWords).map(([age, words]) => [age, `last ${words}`] as const),
] as const;

/** `GET /activity?actor=&action=&since=&before=`: one page of the actions of operators, the newest first. */
export async function activityPage(deps: ConsoleDeps, { query, now, caller }: PageContext): Promise<Page> {
  const before = readId(query.get('before')) ?? maxBigint;
  const [actor, action] = [query.get('actor')?.trim() || undefined, query.get('action') || undefined];
  const since = periods.find(([value]) => value !== '' && value === query.get('since'))?.[0];
  const terms = { actor, action, since: since && resolveTime(since, now) };
  const rows = await listAudit(deps, terms, { before, max: pageSize + 1 });
  const entries = rows.slice(0, pageSize);
  const fields = { actor, action, since };
  const next = rows.length > pageSize && link('activity', { ...fields, before: entries.at(-1)?.id });
  const none = Object.values(fields).some(Boolean) ? 'No action matches' : 'No action yet';
  const words = [['', 'all actions'], ...Object.entries(actionNames)] as const;
  const undoable = caller.isOperator ? await listUndoable(deps.db, entries) : undefined;
  const main = html`${pageHead('Activity', [], html`<a href="activity/report">Report of a shift</a>`)}
    <form action="activity" class="actions">
      ${textField({ name: 'actor', label: 'Who', value: actor, placeholder: 'ada@example.com' })}
      ${selectField({ name: 'action', label: 'What', value: action, options: words })}
      ${selectField({ name: 'since', label: 'When', value: since, options: periods })}
      <button>Show</button>
    </form>
    ${entries.length === 0 ? emptyState(none, html`<p>Replays, discards and all other actions of operators are listed here.</p>`) : actionTable(entries, undoable)}
    ${pager(next, before !== maxBigint && link('activity', fields))}`;
  return { title: 'Activity', main };
}

/** By its id each action that an undo changes something of, with the number of events if it is known. */
async function listUndoable(db: Database, entries: readonly AuditEntry[]) {
  const [holds, remaining] = await Promise.all([findHold(db, { name: null }), findRemaining(db, entries)]);
  const begun = new Set(holds.map(({ heldAt }) => heldAt?.getTime()));
  const held = entries.filter((entry) => isHold(entry) && begun.has(entry.at.getTime()));
  // Of a large action only a part was looked at: one that was undone has nothing left.
  const undone = entries.flatMap(({ details }) => ('undoes' in details ? [`${details.undoes}`] : []));
  for (const id of undone) if (remaining.get(id) === undefined) remaining.delete(id);
  return new Map([...remaining, ...held.map(({ id }) => [id, undefined] as const)]);
}

const isHold = ({ action }: AuditEntry) => ['hold target', 'pause schedule', 'stop'].includes(action);

type Undoable = Awaited<ReturnType<typeof listUndoable>>;

function actionTable(entries: readonly AuditEntry[], undoable?: Undoable): Html {
  const columns: readonly Column<AuditEntry>[] = [
    ['When', 'when small wide-only', ({ at }) => moment(at)],
    ['Who', 'by wide-only wrap', ({ actor }) => actor],
    ['What', 'wrap', describeAction],
    ['Why', 'wrap wide-only', ({ reason }) => reason],
    [html`<span class="visually-hidden">Undo</span>`, 'waits', ({ id }) => undoLink(id, undoable)],
  ];
  // Entries that show nothing else than another time, such as one search after the other.
  const alike = (entry: AuditEntry) =>
    `${entry.actor}: ${html`${nameAction(entry)} ${describeObject(entry)}`} ${entry.reason}`;
  return foldedTable('activity', foldAlike(entries, alike), columns);
}

function describeAction(entry: AuditEntry): Html {
  const { at, actor, reason } = entry;
  return html`${nameAction(entry)} ${describeObject(entry)}<div class="muted small narrow-only">${actor}, ${moment(at)}${reason && `: ${reason}`}</div>`;
}

function undoLink(id: string, undoable?: Undoable): Html | false {
  if (!undoable?.has(id)) return false;
  const events = undoable.get(id);
  return html`<a class="small" href="activity/${id}/undo">Undo${events !== undefined && ` for ${countOf(events, 'event')}`}…</a>`;
}

const nothingLeft = 'Nothing is left to undo.';

/** `POST /activity/:id/undo {reason}`: undoes an action. */
export async function undoByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, params, caller } = context;
  const { reason } = readReason(form);
  const undo = { id: params.id ?? '', actor: caller.name, reason, dryRun: false };
  const { changed, remaining, kept } = await undoAction(deps, undo);
  const { hasEvents } = await findUndoable(deps.db, undo.id);
  const sentences = [
    !hasEvents && 'What it held or paused goes on.',
    changed > 0 && `Undone: ${countOf(changed, 'event is', 'events are')} as before.`,
    ...Object.entries(kept).map(
      ([why, events]) => `Not undone: ${countOf(events, 'event')} ${keptBecause[why]}.`,
    ),
    remaining > 0 && `Time ran out for ${countOf(remaining, 'event')}: undo again for the rest.`,
  ].filter(Boolean);
  return { to: 'activity', notice: sentences.join(' ') || nothingLeft };
}

/** `GET /activity/:id/undo`: previews the undo of an action. Changes nothing. */
export async function undoPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const entry = await readEntry(deps, context.params.id);
  const dry = { id: entry.id, actor: context.caller.name, reason: '', dryRun: true };
  const { kept, remaining } = await undoAction(deps, dry);
  const isOfHold = isHold(entry);
  const title = isOfHold ? 'Start deliveries again' : `Undo for ${countOf(remaining, 'event')}`;
  const action = facts([
    ['What', html`<p>${nameAction(entry)} ${describeObject(entry)}</p>`],
    ['Who', entry.actor],
    ['When', moment(entry.at)],
    ['Why', entry.reason],
  ]);
  const counts = Object.entries(kept).map(([why, events]) => [keptBecause[why], events] as const);
  const stays = counts.length > 0 && section('Stays as it is', countList(counts));
  const effect = isOfHold
    ? 'What this action still holds or pauses goes on.'
    : 'Exactly these events return to the state and the time that they had before.';
  const submit = (isOfHold || remaining > 0) && title;
  const form = confirmForm(context, { action: `activity/${entry.id}/undo`, submit, cancel: 'activity' });
  const main = html`${pageHead(title, [['Activity', 'activity'], [entry.id]])}
    ${columns(html`${section('Action', action)}${stays}`, html`<p>${submit ? effect : nothingLeft}</p>${form}`)}`;
  return { title, main };
}

/** The entry of an action, also by the id of its outcome. */
async function readEntry(deps: ConsoleDeps, asked = ''): Promise<AuditEntry> {
  const { id } = await findUndoable(deps.db, asked);
  const [entry] = await listAudit(deps, {}, { before: `${BigInt(id) + 1n}`, max: 1 });
  if (entry?.id === id) return entry;
  throw new NotFoundError('There is no such action.');
}

const shifts = [8, 12, 24];
const maxActions = 1000;

/** `GET /activity/report?hours=`: what failed, what was done, and what is left, as Markdown to paste. */
export async function reportPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { now, query, environment } = context;
  const hours = shifts.find((each) => String(each) === query.get('hours')) ?? 8;
  // Failures are counted by clock hour: a shift begins with the one that it began in.
  const day = periodUpTo(now, '24h');
  const since = new Date(day.until.getTime() - (hours + 1) * 3_600_000);
  const period = { ...day, since, steps: hours + 1 };
  await refreshUnlessReplica(deps.db);
  const [groups, actions, left] = await Promise.all([
    readTopGroups(deps.db, period, now),
    listAudit(deps, { since: since.toISOString() }, { before: maxBigint, max: maxActions }),
    listLeft(deps, now),
  ]);
  // A search that compared masked values is recorded, but changed nothing.
  const done = actions.filter(({ action }) => action !== 'compare masked values');
  const text = [
    `# Dead letters${environment && ` of ${environment}`}: ${formatUtc(since)} to ${formatUtc(now)}`,
    `## What failed, without muted errors${groups.length < maxGroups ? '' : `: the ${maxGroups} largest`}`,
    listOr(groups.map(describeError), 'Nothing failed.'),
    `## What was done${actions.length < maxActions ? '' : `: the latest ${formatNumber(maxActions)} actions`}`,
    listOr(done.toReversed().map(reportAction), 'Nothing was done.'),
    '## What is left',
    listOr(left, 'Nothing needs a person.'),
  ].join('\n\n');
  const href = (of: number) => `activity/report?hours=${of}`;
  const lengths = shifts.map((of) => [href(of), `${of} hours`] as const);
  const shiftLinks = linkSwitch('Period', href(hours), lengths);
  const main = html`${pageHead('Report of a shift', [['Activity', 'activity'], ['report']], shiftLinks)}${copyable('report', text, 'Copy as Markdown')}`;
  return { title: 'Report of a shift', main };
}

function listOr(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : lines.map((line) => `- ${line}`).join('\n');
}

function describeError({ title, steps, open, failedPermanently, owner }: TopGroup): string {
  const state = `${formatNumber(open)} open, ${formatNumber(failedPermanently)} failed permanently`;
  return `${formatNumber(sumUp(steps, 'failures'))} × ${toLine(title ?? 'a new error')} (now ${state}${owner === null ? '' : `; ${owner}`})`;
}

function reportAction(entry: AuditEntry): string {
  const what = toLine([nameAction(entry), ' ', describeObject(entry)]);
  return `${formatUtc(entry.at)} ${entry.actor} ${what}${entry.reason === null ? '' : `: ${toLine(entry.reason)}`}`;
}

async function listLeft(deps: ConsoleDeps, now: Date): Promise<string[]> {
  const progress = await readProgress(deps, now);
  const problems = findProblems(progress, deps.failingHours);
  const { open } = progress.depths;
  const rest = open > 0 ? [`${countOf(open, 'event is', 'events are')} open.`] : [];
  return [...problems.map(({ says }) => toLine(says)), ...rest];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Content as a line of text. */
function toLine(content: Content): string {
  const text = String(html`${content}`).replaceAll(/<[^>]*>|&(.+?);/g, (_, name) => entities[name] ?? '');
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
