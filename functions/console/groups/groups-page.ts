import {
  countGroups,
  type GroupState,
  groupStates,
  type ListedGroup,
  listGroups,
} from '../../../shared/error-groups.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { groupState, noveltyBadge } from '../parts/group-state.ts';
import { formatNumber } from '../parts/number.ts';
import { sparkline } from '../parts/sparkline.ts';
import { ago } from '../parts/time.ts';
import { bringUpToDate } from '../parts/up-to-date.ts';
import type { Visit } from '../visit.ts';

const pageSize = 50;

const views = {
  current: { words: 'Current', states: ['OPEN', 'ACKNOWLEDGED', 'RETURNED'] },
  muted: { words: 'Muted', states: ['MUTED'] },
  resolved: { words: 'Resolved', states: ['RESOLVED'] },
  all: { words: 'All', states: groupStates },
} as const satisfies Record<string, { words: string; states: readonly GroupState[] }>;

const orders = { size: 'Most waiting', novelty: 'News first', recent: 'Last seen' } as const;

/** `GET /groups?view=&order=&after=`: why events failed, group by group. */
export async function groupsPage({ db }: ConsoleDeps, { query, now }: Visit): Promise<Page> {
  const view = pick(views, query.get('view'), 'current');
  const order = pick(orders, query.get('order'), 'size');
  const [, afterKey = null, afterFingerprint = null] =
    /^(-?\d+(?:\.\d+)?)~(.+)$/.exec(query.get('after') ?? '') ?? [];
  await bringUpToDate(db);
  const { states } = views[view];
  const [found, counts] = await Promise.all([
    listGroups(db, { states, order, until: now, limit: pageSize + 1, afterKey, afterFingerprint }),
    countGroups(db, {}),
  ]);
  const groups = found.slice(0, pageSize);
  const last = groups.at(-1);
  const link = (more: Record<string, string>) => `groups?${new URLSearchParams({ view, order, ...more })}`;
  const sum = (of: readonly GroupState[]) =>
    counts.reduce((total, { state, groups }) => total + (of.includes(state) ? groups : 0), 0);
  const main = html`<div class="head"><h1>Errors</h1>
      <nav class="switch" aria-label="Which errors">${Object.entries(views).map(
        ([name, { words, states }]) =>
          html`<a href="${link({ view: name })}"${name === view && html` aria-current="true"`}>${words} <span class="muted">${formatNumber(sum(states))}</span></a>`,
      )}</nav>
      <nav class="switch order" aria-label="Order">${Object.entries(orders).map(
        ([name, words]) =>
          html`<a href="${link({ order: name })}"${name === order && html` aria-current="true"`}>${words}</a>`,
      )}</nav></div>
    ${groups.length === 0 ? nothing(view) : groupTable(groups, now)}
    <nav class="pager" aria-label="Pages of errors">${found.length > pageSize && last && html`<a href="${link({ after: `${last.key}~${last.fingerprint}` })}" rel="next">More</a>`}</nav>`;
  return { title: 'Errors', tab: 'groups', main };
}

function groupTable(groups: readonly ListedGroup[], now: Date): Html {
  return html`<table class="groups"><thead><tr>
      <th>Why</th><th class="state wide">State</th><th class="trend wide">Trend</th><th class="num" title="How often it failed in 24 hours">In 24 h</th>
      <th class="num wide">Open</th><th class="num wide" title="Failed permanently: waiting for people">Given up</th><th class="num wide">First seen</th><th class="num wide">Last seen</th>
    </tr></thead><tbody>${groups.map((group) => groupRow(group, now))}</tbody></table>`;
}

function groupRow(group: ListedGroup, now: Date): Html {
  const { event_types: types, event_type_count: count } = group;
  const title = group.title ?? 'a failure that has just been seen';
  return html`<tr data-row>
    <td><div class="clip"><a class="title" href="groups/${encodeURIComponent(group.fingerprint)}" title="${title}">${title}</a></div>
      <div class="muted small clip">${noveltyBadge(group.novelty)}${types.join(', ')}${count > types.length && ` and ${count - types.length} more`}${group.owner && html` · ${group.owner}`}</div></td>
    <td class="wide">${groupState(group.state)}</td>
    <td class="wide">${sparkline(group.trend, `${formatNumber(group.failures_in_24_hours)} in 24 hours`)}</td>
    <td class="num"><b>${formatNumber(group.failures_in_24_hours)}</b></td>
    <td class="num wide">${orDash(group.open)}</td>
    <td class="num wide">${orDash(group.failed_permanently)}</td>
    <td class="num wide">${ago(group.first_seen_at, now)}</td>
    <td class="num wide">${ago(group.last_seen_at, now)}</td>
  </tr>`;
}

function orDash(value: number): Html | string {
  return value > 0 ? formatNumber(value) : html`<span class="muted">–</span>`;
}

function nothing(view: keyof typeof views): Html {
  if (view !== 'current')
    return html`<div class="empty"><h2>None</h2><p>No error is ${view === 'all' ? 'known yet' : view}.</p></div>`;
  return html`<div class="empty"><h2>Nothing is failing</h2><p>Events that fail for the same reason are gathered here: by class, by message without
    its numbers and names, and by the uppermost frames of the stack.</p></div>`;
}

function pick<Name extends string>(
  names: Readonly<Record<Name, unknown>>,
  asked: string | null,
  other: Name,
): Name {
  return asked !== null && Object.hasOwn(names, asked) ? (asked as Name) : other;
}
