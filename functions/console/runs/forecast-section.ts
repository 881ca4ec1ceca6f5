import { formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import type { Forecast, TargetForecast } from '../../../shared/schedule/forecast.ts';
import { ago, moment } from '../components/format.ts';
import { mark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { linkTarget } from '../components/target-state.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';

/** The events that are due, those that something holds back, and those due within the hour, by target. */
export function forecastSection(forecast: Forecast, next: Date | undefined, now: Date): Html {
  const { items, isEnabled, maxEvents, paused } = forecast;
  const time =
    next &&
    html`<span class="muted small">next tick ${next > now ? ago(next, now) : html`expected ${ago(next, now)}`}</span>`;
  const list =
    items.length === 0
      ? html`<p class="muted">Nothing is due, and nothing becomes due within the hour.</p>`
      : targetTable(items, now);
  const notes = html`${paused && html`<p class="warning" role="status"><b>The schedule is paused</b> by ${paused.by}${paused.until && html` until ${moment(paused.until)}`}: ${paused.reason}. Replays go on.</p>`}${!isEnabled && html`<p class="warning">Retries are switched off (RETRY_ENABLED): ticks claim nothing.</p>`}
    ${maxEvents !== null && html`<p class="muted small">A tick claims up to ${formatNumber(maxEvents)} events.</p>`}`;
  return section('What happens next', html`${notes}${list}`, time);
}

function targetTable(items: readonly TargetForecast[], now: Date): Html {
  return table('forecast', items, [
    ['Target', 'wrap', (item) => targetCell(item, now)],
    ['State', 'wrap wide-only', (item) => stateOf(item, now)],
    ['Due now', 'num', (item) => timeCome(item.due, item)],
    ['Held back', 'num', heldCell],
    ['Within the hour', 'num wide-only', (item) => soonCell(item, now)],
  ]);
}

/** On a phone, with what other columns have. */
function targetCell(item: TargetForecast, now: Date): Html {
  const soon = item.soon > 0 && html`<div class="muted small">within the hour: ${soonCell(item, now)}</div>`;
  return html`${nameOf(item.target)}<div class="narrow-only">${stateOf(item, now)}${soon}</div>`;
}

const nameOf = (target: string | null) => (target === null ? html`no route` : linkTarget(target, 'title'));

function stateOf(item: TargetForecast, now: Date): Html {
  const { state, because, until, due, heldBack, behindKey, failing } = item;
  const isStuck = due === 0 && heldBack > 0;
  const marks = {
    open: isStuck ? mark('pending', 'waiting', 'held back') : mark('succeeded', 'good', 'delivers'),
    probe: mark('processing', 'waiting', 'probes'),
    down: mark('failed', 'bad', 'down'),
    held: mark('paused', 'waiting', 'held'),
    'no-route': mark('pending', 'quiet', 'waits for a route'),
  };
  const more = [
    because,
    until && html`next probe ${ago(until, now)}`,
    state === 'probe' && 'one event first, the others if it succeeds',
    behindKey > 0 && `${formatNumber(behindKey)} behind an earlier event of their key`,
    failing > 0 && `${formatNumber(failing)} whose cause fails by itself`,
  ].filter(Boolean);
  return html`${marks[state]}${more.map((each) => html`<div class="muted small">${each}</div>`)}`;
}

/** The filter finds all events whose time has come: a link only to as many as the number says. */
function timeCome(value: number, item: TargetForecast): Html | string {
  return value === item.due + item.heldBack
    ? countLink(value, item, item.filter)
    : formatCount(value, item.isExact);
}

/** What is held back; of a number that is only a lower bound also how many events wait in all. */
function heldCell(item: TargetForecast): Html {
  const { heldBack, isExact, waiting, isWaitingExact } = item;
  const all =
    !isExact && html`<div class="muted small">of ${formatCount(waiting, isWaitingExact)} waiting</div>`;
  return html`${timeCome(heldBack, item)}${all}`;
}

function countLink(
  value: number,
  { isExact }: TargetForecast,
  filter: TargetForecast['filter'],
): Html | string {
  const shown = formatCount(value, isExact);
  return value === 0 ? shown : html`<a href="${searchLink(printFilterText(filter))}">${shown}</a>`;
}

function soonCell(item: TargetForecast, now: Date): Html {
  const { filter, soon, earliest } = item;
  return html`${countLink(soon, item, { ...filter, dueAfter: 'now', dueBefore: '1h' })}${earliest && html`<div class="muted small">first ${ago(earliest, now)}</div>`}`;
}

function formatCount(value: number, isExact: boolean): string {
  return `${isExact || value === 0 ? '' : 'more than '}${formatNumber(value)}`;
}

/** The forecast in two lines, with links; the overview says what holds back the others. */
export function forecastLines({ due, nextTick, heldBack, soon, isExact, items }: Forecast): Html {
  // Nothing is due at a target that gets no deliveries, however many events wait for it.
  const isDueExact = items.every((item) => item.isExact || (item.state !== 'open' && item.due === 0));
  const link = (value: number, q: string) =>
    value === 0 ? '0' : html`<a href="${searchLink(q)}">${formatCount(value, isExact)}</a>`;
  const dueNow = heldBack === 0 ? link(due, 'due:now') : formatCount(due, isDueExact);
  return html`<li><span>Due now</span><span>${dueNow}</span>
      ${nextTick < due && html`<span class="muted small more wrap">${formatNumber(nextTick)} in the next tick</span>`}</li>
    <li><span>Within the hour</span><span>${link(soon, 'due:>now due:<1h')}</span></li>`;
}
