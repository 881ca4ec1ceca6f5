import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { sumSteps } from '../../../shared/counts/sum-steps.ts';
import type { AuditEntry } from '../../../shared/events/audit.ts';
import type { EventSummary } from '../../../shared/events/event-columns.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { readPart } from '../../../shared/events/read-part.ts';
import { type Group, type GroupDetail, showGroup } from '../../../shared/groups/error-groups.ts';
import { type Differences, listDifferences } from '../../../shared/groups/list-differences.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { listWhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { describeObject, nameAction } from '../activity/action-words.ts';
import { flowSection, hourRange, picture, readRange } from '../components/chart.ts';
import { errorName, errorOrigin, groupState, isFinished } from '../components/error-name.ts';
import { confirmForm } from '../components/form.ts';
import { ago, moment } from '../components/format.ts';
import { groupPath, link, mainReplay, replayButton, searchLink } from '../components/links.ts';
import {
  collapsible,
  columns,
  countList,
  leftStats,
  pageHead,
  section,
  stat,
} from '../components/section.ts';
import { table } from '../components/table.ts';
import { errorText } from '../events/error-text.ts';
import { eventTable } from '../events/event-table.ts';
import { payloadSection } from '../events/message.ts';
import { actionEntry, listEntries } from '../events/timeline.ts';
import { type MaskedEvent, readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { acknowledgeButton, triageSection } from './triage.ts';

const maxEvents = 10;

/** `GET /groups/:fingerprint?range=`: one error group. Throws a NotFoundError. */
export async function groupPage(deps: ConsoleDeps, context: PageContext): Promise<Page | Redirect> {
  const { db } = deps;
  const { now, caller } = context;
  const requested = context.params.fingerprint ?? '';
  await refreshUnlessReplica(db);
  const group = await showGroup(deps, requested);
  const { fingerprint, note, merged, actions } = group;
  const path = groupPath(fingerprint);
  if (fingerprint !== requested) return { to: path, notice: `${requested} was merged into this error.` };
  const range = hourRange(readRange(context.query, now));
  const events = await listLatest(deps, group);
  const [flow, sample, differences, latest] = await Promise.all([
    sumSteps(db, range, { fingerprint }),
    readSample(deps, group, events[0]),
    listDifferences(deps, group),
    latestSection(deps, group, events),
  ]);
  const filter = `fingerprint:${fingerprint}`;
  const origin = errorOrigin(group);
  const content = html`${flowSection(path, { range, ...flow, filter })}${differencesSection(group, differences)}
    ${sample && sampleSection(sample)}${latest}`;
  const side = html`${caller.isOperator && triageSection(group, context)}${affected(group)}
    ${merged.length > 0 && mergedSection(merged, context)}${actions.length > 0 && groupHistory(actions)}`;
  const main = html`${groupHead(group, filter, caller)}
    ${origin && html`<p class="muted wrap">${origin}</p>`}
    ${note && html`<p class="notice wrap">${note}</p>`}
    ${groupStats(group, filter)}${columns(content, side)}`;
  return { title: group.title ?? fingerprint, main };
}

const left = ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'] as const;
const maxLookedAt = 10_000;

/** Of the latest events of an error those that are left to deliver or to decide about, or else the latest. */
async function listLatest({ db }: ConsoleDeps, group: Group) {
  const filter = { fingerprint: [group.fingerprint] };
  const ofLeft = { filter: { ...filter, status: left }, isArchived: false, position: firstPosition };
  const part = { size: maxLookedAt, max: maxEvents };
  const found = isFinished(group) ? [] : (await readPart(db, ofLeft, part)).rows;
  return found.length > 0 ? found : listEvents(db, filter, { ...firstPosition, max: maxEvents });
}

async function latestSection(deps: ConsoleDeps, group: Group, events: readonly EventSummary[]) {
  const isLeft = left.some((status) => status === events[0]?.status);
  const why = await listWhyNotNow(deps, events);
  const failing = [...why.values()].find(({ reason }) => reason === 'cause');
  const table = eventTable(events, { isNarrow: true, isOneError: true, why, routes: deps.routes });
  const list = html`${failing && html`<p class="hint wrap">${failing.says}</p>`}${table}`;
  const all = html`<a href="${searchLink(`fingerprint:${group.fingerprint}`)}">All events</a>`;
  return section(isLeft ? 'Latest events that are left' : 'Latest events', list, all);
}

function groupHead(group: Group, filter: string, { isOperator }: PageContext['caller']): Html {
  const { mutedUntil, title, fingerprint } = group;
  const isLeft = !isFinished(group);
  const discard = html`<a class="button" href="${link('events/discard', { q: filter })}">Discard…</a>`;
  const actions = html`<div class="actions">
    ${isLeft && replayButton('Replay…', { q: `${filter} status:PENDING,FAILED_PERMANENTLY` }, mainReplay)}
    ${group.state !== 'ACKNOWLEDGED' && acknowledgeButton}${isLeft && discard}</div>`;
  const aside = html`${groupState(group)}${mutedUntil && html`<span class="muted">until ${moment(mutedUntil)}</span>`}${isOperator && actions}`;
  return pageHead(errorName(title), [['Errors', 'groups'], [fingerprint]], aside);
}

/** The first event of a list, or that of the group, masked, unless it was deleted or has moved to another one. */
async function readSample(deps: ConsoleDeps, { sampleEventId, members }: Group, latest?: EventSummary) {
  const event = await readMaskedEvent(deps, latest?.id ?? sampleEventId);
  return event && members.includes(event.fingerprint ?? '') ? event : undefined;
}

function sampleSection(event: MaskedEvent): Html {
  const { id, createdAt } = event;
  const aside = html`<span class="muted small"><a href="events/${id}">event ${id}</a>, ${ago(createdAt)}</span>`;
  return html`<div class="beside">${section('Sample', errorText(event), aside)}${payloadSection(event)}</div>`;
}

function groupStats(group: Group, filter: string): Html {
  return html`<div class="stats">
    ${leftStats(group.open, group.failedPermanently, filter)}
    ${stat('Failures', group.failures, { note: 'in total' })}
    ${stat('First seen', ago(group.firstSeenAt))}${stat('Last seen', ago(group.lastSeenAt))}
  </div>`;
}

function affected({ eventTypes: types, eventTypeCount, consumers }: GroupDetail): Html {
  const others = eventTypeCount - types.length;
  const more = html`<span class="muted">and ${countOf(others, 'other type')}</span>`;
  const list = countList([
    ...types.map((type) => [type.eventType, countOf(type.open + type.failedPermanently, 'event')] as const),
    ...(others > 0 ? [[more, ''] as const] : []),
    ...consumers.map(({ name, events }) => [name, `${formatNumber(events)} of the latest`] as const),
  ]);
  return section('Affected', list);
}

function mergedSection(groups: GroupDetail['merged'], context: PageContext): Html {
  const lines = groups.map(({ fingerprint, title, failures, lastSeenAt }) => {
    const form = {
      action: `${groupPath(fingerprint)}/split`,
      submit: 'Split',
      cancel: context.path.slice(1),
    };
    const split = context.caller.isOperator && collapsible('Split…', confirmForm(context, form));
    return html`<li><div><span class="wrap">${errorName(title)}</span>
        <div class="muted small">${countOf(failures, 'failure')}, last seen ${ago(lastSeenAt)}</div>${split}</div></li>`;
  });
  const hint = html`<p class="hint">Their events and later failures count for this error.</p>`;
  return section('Merged', html`${hint}<ul class="list">${lines}</ul>`);
}

function groupHistory(actions: readonly AuditEntry[]): Html {
  const entries = actions.map((action) => {
    // Of a change of its state the object is the error of the page.
    const other = 'to' in action.details ? { ...action, title: null } : action;
    const words = html`<strong>${action.actor}</strong> ${nameAction(action)} ${describeObject(other)}`;
    return actionEntry(action.at, words, action.reason);
  });
  return section('History', listEntries(entries));
}

function differencesSection(group: Group, { sampled, compared, differences }: Differences): Html | false {
  if (sampled === 0) return false;
  const left = !isFinished(group) && ' that are left';
  const sample = html`<p class="hint">The latest ${countOf(sampled, 'event')} of this error${left}, compared with a sample of ${formatNumber(compared)} of all events that have the field.</p>`;
  const list = table('differences', differences, [
    ['Field', 'mono wrap', ({ field }) => field],
    [
      'Value',
      'wrap',
      ({ filter, value }) => html`<a href="${searchLink(printFilterText(filter))}">${value}</a>`,
    ],
    ['This error', 'num', ({ share }) => html`${sayShare(share)}${bar(share)}`],
    ['Sample of all', 'num muted', ({ shareOfAll }) => html`${sayShare(shareOfAll)}${bar(shareOfAll)}`],
  ]);
  const shown = differences.length === 0 ? html`<p>No value stands out.</p>` : list;
  return section('What is different about these?', html`${shown}${sample}`);
}

/** Of a sample: that none or all of it has a value says less of all events than a number would. */
export function sayShare(share: number): string {
  if (share === 0 || share === 1) return share === 0 ? 'none' : 'all';
  const rounded = Math.round(share * 100);
  if (rounded === 0) return '< 1 %';
  return rounded === 100 ? '> 99 %' : `${rounded} %`;
}

function bar(share: number): Html {
  return picture('share', [100, 4], [{ x: 0, width: share * 100, height: 4 }]);
}
