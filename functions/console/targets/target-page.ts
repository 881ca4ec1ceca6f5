import { countOf } from '../../../shared/count-of.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { listBlockers } from '../../../shared/schedule/blockers.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { showTarget } from '../../../shared/targets/show-targets.ts';
import { stat } from '../components/facts.ts';
import { postForm, reasonField, untilField } from '../components/form.ts';
import { ago, formatDuration, formatLeast } from '../components/format.ts';
import { replayPath } from '../components/links.ts';
import { type Outcome, outcomeMark } from '../components/marks.ts';
import { collapsible, columns, pageHead, section } from '../components/section.ts';
import { foldAlike, foldedTable } from '../components/table.ts';
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

const maxBlockers = 3;

type Target = Awaited<ReturnType<typeof showTarget>>;

/**
 * `GET /targets/:target`: one target with its answers, its history, and what can be done about it. Throws a
 * NotFoundError.
 */
export async function targetPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const name = context.params.target ?? '';
  const snapshot = await readSnapshot(deps);
  const [target, blockers] = await Promise.all([
    showTarget(deps, snapshot, name),
    listBlockers(deps.db, snapshot.lanes, { limit: maxBlockers, target: name }),
  ]);
  const state = html`${targetMark(target)}<span class="muted wrap">${describeTarget(target)}</span>`;
  const problems = html`<div class="problem-list">${problemLines(blockers.map(blockedKey))}</div>`;
  const live = html`<div id="live" data-live="5">${blockers.length > 0 && problems}${targetStats(target)}
    ${causeSection(target.causes, deps.failingHours)}${section('Latest answers', answers(target))}</div>`;
  const side = html`${context.caller.isOperator && section('Actions', actionForm(target, context))}
    ${section('Routes', routeList(deps, context, name))}${section('History', history(target))}`;
  const head = pageHead(breakable(shortenTarget(name)), [['Targets', 'targets'], [name]], state);
  return { title: shortenTarget(name), tab: 'targets', main: html`${head}${columns(live, side)}` };
}

function targetStats({ waiting, isExact, due, heldBack, isDueExact, latest, lastAt }: Target): Html {
  const dueNote = heldBack > 0 ? `${formatLeast(heldBack, isDueExact)} held back` : 'by the schedule';
  const share = latest && `${Math.floor((100 * latest.delivered) / latest.deliveries)} %`;
  const deliveredNote = latest ? `of the latest ${latest.deliveries}` : 'nothing sent yet';
  const durationNote = latest && `95 % within ${formatDuration(latest.p95Ms)}`;
  return html`<div class="stats">${stat('Waiting', formatLeast(waiting, isExact), { note: 'open events' })}
    ${stat('Due now', formatLeast(due, isDueExact), { note: dueNote })}
    ${stat('Delivered', share ?? '–', { note: deliveredNote })}
    ${stat('Duration', latest ? formatDuration(latest.medianMs) : '–', { note: durationNote })}
    ${stat('Last used', lastAt ? ago(lastAt) : 'never')}</div>`;
}

function actionForm({ target, state }: Target, context: PageContext): Html {
  const [command, effect] =
    state === 'held'
      ? ['Release', 'the next tick delivers again. Instead of an undo, hold it again.']
      : ['Hold', 'nothing is delivered on schedule until you release it.'];
  const until = command === 'Hold' && untilField('Hold until', 'Empty: until it is released.');
  return postForm(context, {
    action: targetLink(target),
    content: html`${reasonField(context.form.get('reason'))}${until}
      <div class="actions"><button name="command" value="probe">Probe now</button><button name="command" value="${command.toLowerCase()}">${command}</button></div>
      <p class="hint">Probe: sends an event that was not tried before, if there is one; a good answer closes the breaker. ${command}: ${effect}</p>`,
  });
}

function answers({ answers }: Target): Html {
  if (answers.length === 0) return html`<p class="muted">Nothing was sent to this target yet.</p>`;
  const alike = ({ outcome, responseStatus, answer }: Target['answers'][number]) =>
    JSON.stringify([outcome, responseStatus, answer]);
  return foldedTable('answers', foldAlike(answers, alike), [
    ['Outcome', 'state', ({ outcome }) => outcomeMark(outcome as Outcome)],
    [
      'Answer',
      'wrap',
      ({ eventId, responseStatus, answer }) =>
        html`${responseStatus} <span class="muted small">${answer?.replace(/^HTTP \d{3}: /, '')}</span> <a class="small" href="events/${eventId}">event ${eventId}</a>`,
    ],
    ['Duration', 'num wide-only', ({ durationMs }) => formatDuration(durationMs)],
    ['Sent', 'num', ({ startedAt }) => ago(startedAt)],
  ]);
}

function routeList({ routes }: ConsoleDeps, { caller }: PageContext, name: string): Html {
  const own = routes.filter(({ target }) => nameTarget(target) === name);
  const lines = own.map((route) => {
    const q = `${filterOfRoute(route)} status:PENDING,FAILED_PERMANENTLY`.trim();
    const replay = caller.isOperator && html` · <a href="${replayPath({ q })}">Replay…</a>`;
    return html`<li><span class="wrap small">${describeRoute(route, routes.indexOf(route))}</span><span><a href="${searchLink(q)}">Events</a>${replay}</span></li>`;
  });
  return html`<ul class="list">${lines}</ul>`;
}

/** Changes that are shown at first. */
const maxShown = 10;

const words = { down: 'was down', up: 'was up again', held: 'held it', released: 'released it' } as const;

function history({ changes }: Target): Html {
  if (changes.length === 0) return html`<p class="muted">It was never down, and never held.</p>`;
  const lines = changes.map(({ at, change, actor, reason }) =>
    actionEntry(at, html`<strong>${actor ?? 'The target'}</strong> ${words[change]}`, reason),
  );
  const earlier = lines.slice(maxShown);
  const more = collapsible(countOf(earlier.length, 'earlier change'), listEntries(earlier));
  return html`${listEntries(lines.slice(0, maxShown))}${earlier.length > 0 && more}`;
}
