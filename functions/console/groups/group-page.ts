import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { sumGroupSteps } from '../../../shared/counts/sum-steps.ts';
import type { AuditEntry } from '../../../shared/events/audit.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { type Group, type GroupDetail, showGroup } from '../../../shared/groups/error-groups.ts';
import { listDifferences } from '../../../shared/groups/list-differences.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { listWhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { describeObject, nameAction } from '../activity/action-words.ts';
import { errorName, errorOrigin } from '../components/error-name.ts';
import { stat } from '../components/facts.ts';
import { flowSection } from '../components/flow-section.ts';
import { confirmForm } from '../components/form.ts';
import { ago, moment } from '../components/format.ts';
import { groupPath } from '../components/group-cells.ts';
import { icon } from '../components/icon.ts';
import { status } from '../components/marks.ts';
import { hourRange, readRange } from '../components/range.ts';
import { collapsible, pageHead, section } from '../components/section.ts';
import { eventTable } from '../events/event-table.ts';
import { errorText } from '../events/failure.ts';
import { payloadSection } from '../events/payload.ts';
import { searchLink } from '../events/search.ts';
import { actionEntry, listEntries } from '../events/timeline.ts';
import { type MaskedEvent, readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { differencesSection } from './differences-section.ts';
import { acknowledgeButton, triageSection } from './triage.ts';

const maxEvents = 10;

/** `GET /groups/:fingerprint?range=`: one error group. Throws a NotFoundError. */
export async function groupPage(deps: ConsoleDeps, context: PageContext): Promise<Page | Redirect> {
  const { db } = deps;
  const { now, caller } = context;
  const requested = context.params.fingerprint ?? '';
  await refreshUnlessReplica(db);
  const group = await showGroup(deps, requested);
  const { fingerprint } = group;
  if (fingerprint !== requested) {
    const notice = `${requested} was merged into this error.`;
    return { to: `groups/${encodeURIComponent(fingerprint)}`, notice };
  }
  const range = hourRange(readRange(context.query, now));
  const [flow, events, sample, differences] = await Promise.all([
    sumGroupSteps(db, range, fingerprint),
    listEvents(db, { fingerprint: [fingerprint] }, { ...firstPosition, max: maxEvents }),
    readSample(deps, group),
    listDifferences(deps, group),
  ]);
  const text = `fingerprint:${fingerprint}`;
  const origin = errorOrigin(group);
  const main = html`${groupHead(group, text, caller)}
    ${origin && html`<p class="origin muted wrap">${origin}</p>`}
    ${group.note && html`<p class="notice wrap">${group.note}</p>`}
    ${groupStats(group, text, now)}
    <div class="columns"><div>
      ${flowSection(`groups/${encodeURIComponent(fingerprint)}`, { range, ...flow, filter: text })}
      ${differencesSection(differences)}
      ${sample && sampleSection(sample, now)}
      ${await latestSection(deps, events, { text, now })}
      </div><div>
      ${caller.isOperator && triageSection(group, context)}
      ${affected(group)}
      ${mergedSection(group.merged, context)}
      ${groupHistory(group.actions)}
    </div></div>`;
  return { title: group.title ?? fingerprint, tab: 'groups', main };
}

/** The latest events, and why they wait if their cause fails by itself. */
async function latestSection(
  deps: ConsoleDeps,
  events: Awaited<ReturnType<typeof listEvents>>,
  { text, now }: { readonly text: string; readonly now: Date },
): Promise<Html> {
  const why = await listWhyNotNow(deps, events);
  const failing = [...why.values()].find(({ reason }) => reason === 'cause');
  const list = html`${failing && html`<p class="hint wrap">${failing.says}</p>`}${eventTable(events, { now, isNarrow: true, isOneError: true, why, routes: deps.routes })}`;
  return section('Latest events', list, html`<a href="${searchLink(text)}">All events</a>`);
}

function groupHead(group: Group, text: string, { isOperator }: PageContext['caller']): Html {
  const { state, mutedUntil, title, fingerprint } = group;
  const until = mutedUntil && html`<span class="muted">until ${moment(mutedUntil)}</span>`;
  return pageHead(
    errorName(title ?? 'A new error'),
    [['Errors', 'groups'], [fingerprint]],
    html`${status(state)}${until}${isOperator && groupActions(group, text)}`,
  );
}

function groupActions(group: Group, text: string): Html {
  const link = (path: string, q: string) => `${path}?${new URLSearchParams({ q })}`;
  return html`<div class="actions">
    <a class="button primary" data-key="r" href="${link('runs/new', `${text} status:PENDING,FAILED_PERMANENTLY`)}">${icon('replay')}Replay…</a>
    ${acknowledgeButton(group)}
    <a class="button" href="${link('events/discard', text)}">Discard…</a></div>`;
}

/** The sample event, masked, unless it was deleted or has moved to another group. */
async function readSample(
  deps: ConsoleDeps,
  { sampleEventId: id, members }: Group,
): Promise<MaskedEvent | undefined> {
  const event = id === null ? undefined : await readMaskedEvent(deps, id);
  return event && members.includes(event.fingerprint ?? '') ? event : undefined;
}

/** The error of the sample beside its payload. */
function sampleSection(event: MaskedEvent, now: Date): Html {
  const { id, createdAt } = event;
  const aside = html`<span class="muted small"><a href="events/${id}">event ${id}</a>, ${ago(createdAt, now)}</span>`;
  return html`<div class="beside">${section('Sample', errorText(event), aside)}${payloadSection(event, null)}</div>`;
}

function groupStats(group: Group, text: string, now: Date): Html {
  return html`<div class="stats">
    ${stat('Open', group.open, { href: searchLink(`${text} status:PENDING,PROCESSING`), note: 'pending a retry' })}
    ${stat('Failed permanently', group.failedPermanently, { href: searchLink(`${text} status:FAILED_PERMANENTLY`), note: 'needs review' })}
    ${stat('Failures', group.failures, { note: 'in total' })}
    ${stat('First seen', ago(group.firstSeenAt, now))}${stat('Last seen', ago(group.lastSeenAt, now))}
  </div>`;
}

function affected({ eventTypes: types, eventTypeCount, consumers }: GroupDetail): Html {
  const others = eventTypeCount - types.length;
  const list = html`<ul class="list">
    ${types.map((type) => html`<li><span class="wrap">${type.eventType}</span><span>${countOf(type.open + type.failedPermanently, 'event')}</span></li>`)}
    ${others > 0 && html`<li class="muted">and ${countOf(others, 'other type')}</li>`}
    ${consumers.map(({ name, events }) => html`<li><span class="wrap">${name}</span><span class="muted">${formatNumber(events)} of the latest</span></li>`)}
  </ul>`;
  return section('Affected', list);
}

type MergedGroup = GroupDetail['merged'][number];

/** The errors that were merged into one, each with a form for operators to split it off again. */
function mergedSection(groups: readonly MergedGroup[], context: PageContext): Html | false {
  if (groups.length === 0) return false;
  const lines = groups.map(
    (group) =>
      html`<li><div><span class="wrap">${errorName(group.title ?? 'A new error')}</span>
        <div class="muted small">${countOf(group.failures, 'failure')}, last seen ${ago(group.lastSeenAt, context.now)}</div>
        ${context.caller.isOperator && splitForm(group, context)}</div></li>`,
  );
  return section(
    'Merged',
    html`<p class="hint">Their events and later failures count for this error.</p><ul class="list">${lines}</ul>`,
  );
}

function splitForm(group: MergedGroup, context: PageContext): Html {
  const form = { action: `${groupPath(group)}/split`, submit: 'Split', cancel: context.path.slice(1) };
  return collapsible('Split…', confirmForm(context, form));
}

/** The changes of a group by operators and by the service, latest first. */
function groupHistory(actions: readonly AuditEntry[]): Html | false {
  if (actions.length === 0) return false;
  const entries = actions.map((action) =>
    actionEntry(
      action.at,
      html`<strong>${action.actor}</strong> ${nameAction(action)} ${describeObject(action)}`,
      action.reason,
    ),
  );
  return section('History', listEntries(entries));
}
