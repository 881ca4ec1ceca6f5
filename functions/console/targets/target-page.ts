import { countOf } from '../../../shared/count-of.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { listBlockers } from '../../../shared/schedule/blockers.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { showTarget } from '../../../shared/targets/show-targets.ts';
import { stat } from '../components/facts.ts';
import { postForm, reasonField, untilField } from '../components/form.ts';
import { ago, formatDuration } from '../components/format.ts';
import { type Outcome, outcomeMark } from '../components/marks.ts';
import { collapsible, pageHead, section } from '../components/section.ts';
import { type Column, foldAlike, foldedTable } from '../components/table.ts';
import {
  breakable,
  describeTarget,
  shortenTarget,
  targetLink,
  targetMark,
} from '../components/target-state.ts';
import { searchLink } from '../events/search.ts';
import { actionEntry, listEntries } from '../events/timeline.ts';
import { type Html, html } from '../html.ts';
import { blockedKey, problemLines } from '../overview/problems.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { causeSection } from './cause-section.ts';
import { describeRoute, filterOfRoute } from './routes.ts';
import { formatWaiting } from './targets-page.ts';

const maxBlockers = 3;

type Target = Awaited<ReturnType<typeof showTarget>>;
type Answer = Target['answers'][number];

/**
 * `GET /targets/:target`: one target with its answers, its history, and what can be done about it. Throws a
 * NotFoundError.
 */
export async function targetPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { now, caller } = context;
  const name = context.params.target ?? '';
  const snapshot = await readSnapshot(deps);
  const [target, blockers] = await Promise.all([
    showTarget(deps, snapshot, name),
    listBlockers(deps.db, snapshot.lanes, { limit: maxBlockers, target: name }),
  ]);
  const state = html`${targetMark(target)}<span class="muted wrap">${describeTarget(target, now)}</span>`;
  const main = html`${pageHead(breakable(shortenTarget(name)), [['Targets', 'targets'], [name]], state)}
    <div class="columns"><div>
      <div id="live" data-live="5">${blockers.length > 0 && html`<div class="problem-list">${problemLines(blockers.map(blockedKey))}</div>`}${targetStats(target, now)}${causeSection(target.causes, { now, failingHours: deps.failingHours })}
        ${section('Latest answers', answers(target, now))}</div>
    </div><div>
      ${caller.isOperator && section('Actions', actionForm(target, context))}
      ${section('Routes', routeList(deps, context, name))}
      ${section('History', history(target))}
    </div></div>`;
  return { title: shortenTarget(name), tab: 'targets', main };
}

function targetStats(target: Target, now: Date): Html {
  const { waiting: events, isExact, due, heldBack, isDueExact, latest, lastAt } = target;
  const held = formatWaiting({ events: heldBack, isExact: isDueExact });
  const dueNote = heldBack > 0 ? `${held} held back` : 'by the schedule';
  return html`<div class="stats">
    ${stat('Waiting', formatWaiting({ events, isExact }), { note: 'open events' })}
    ${stat('Due now', formatWaiting({ events: due, isExact: isDueExact || due === 0 }), { note: dueNote })}
    ${stat('Delivered', latest ? `${Math.floor((100 * latest.delivered) / latest.deliveries)} %` : '–', { note: latest ? `of the latest ${latest.deliveries}` : 'nothing sent yet' })}
    ${stat('Duration', latest ? formatDuration(latest.medianMs) : '–', { note: latest && `95 % within ${formatDuration(latest.p95Ms)}` })}
    ${stat('Last used', lastAt ? ago(lastAt, now) : 'never')}
  </div>`;
}

function actionForm(target: Target, context: PageContext): Html {
  const isHeld = target.state === 'held';
  return postForm(context, {
    action: targetLink(target.target),
    className: 'side-form',
    content: html`${reasonField()}${!isHeld && untilField('Hold until', 'Empty: until it is released.')}
      <div class="actions"><button name="command" value="probe">Probe now</button>
      ${isHeld ? html`<button name="command" value="release">Release</button>` : html`<button name="command" value="hold">Hold</button>`}</div>
      <p class="hint">Probe: sends an event that was not tried before, if there is one; a good answer closes the breaker.
      ${isHeld ? 'Release: the next tick delivers again. Instead of an undo, hold it again.' : 'Hold: nothing is delivered on schedule until you release it.'}</p>`,
  });
}

function answers({ answers }: Target, now: Date): Html {
  if (answers.length === 0) return html`<p class="muted">Nothing was sent to this target yet.</p>`;
  const columns: readonly Column<Answer>[] = [
    ['Outcome', 'state', ({ outcome }) => outcomeMark(outcome as Outcome)],
    [
      'Answer',
      'wrap',
      ({ eventId, responseStatus, answer }) =>
        html`${responseStatus} <span class="muted small">${answer?.replace(/^HTTP \d{3}: /, '')}</span> <a class="small" href="events/${eventId}">event ${eventId}</a>`,
    ],
    ['Duration', 'num wide-only', ({ durationMs }) => formatDuration(durationMs)],
    ['Sent', 'num', ({ startedAt }) => ago(startedAt, now)],
  ];
  const alike = ({ outcome, responseStatus, answer }: Answer) =>
    JSON.stringify([outcome, responseStatus, answer]);
  return foldedTable('answers', foldAlike(answers, alike), columns);
}

function routeList({ routes }: ConsoleDeps, { caller }: PageContext, name: string): Html {
  const own = routes.filter(({ target }) => nameTarget(target) === name);
  const lines = own.map((route) => {
    const text = `${filterOfRoute(route)} status:PENDING,FAILED_PERMANENTLY`.trim();
    return html`<li><span class="wrap small">${describeRoute(route, routes.indexOf(route))}</span><span class="links"><a href="${searchLink(text)}">Events</a>${caller.isOperator && html` · <a href="runs/new?${String(new URLSearchParams({ q: text }))}">Replay…</a>`}</span></li>`;
  });
  return html`<ul class="list">${lines}</ul>`;
}

/** Changes that are shown at first. */
const maxShown = 10;

const changes = { down: 'was down', up: 'was up again', held: 'held it', released: 'released it' } as const;

function history({ changes: entries }: Target): Html {
  if (entries.length === 0) return html`<p class="muted">It was never down, and never held.</p>`;
  const lines = entries.map(({ at, change, actor, reason }) =>
    actionEntry(at, html`<strong>${actor ?? 'The target'}</strong> ${changes[change]}`, reason),
  );
  const earlier = lines.slice(maxShown);
  return html`${listEntries(lines.slice(0, maxShown))}${earlier.length > 0 && collapsible(countOf(earlier.length, 'earlier change'), listEntries(earlier))}`;
}
