import { formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import type { Forecast, TargetForecast } from '../../../shared/schedule/forecast.ts';
import { ago, formatLeast, moment } from '../components/format.ts';
import { mark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { linkTarget } from '../components/target-state.ts';
import { searchLink } from '../events/search.ts';
import { type Content, type Html, html } from '../html.ts';

/** The events that are due, those that something holds back, and those due within the hour, by target. */
export function forecastSection(
  { items, isEnabled, maxEvents, paused }: Forecast,
  next: Date | undefined,
): Html {
  const expected = next && next <= new Date() && 'expected ';
  const time = next && html`<span class="muted small">next tick ${expected}${ago(next)}</span>`;
  const until = paused?.until && html` until ${moment(paused.until)}`;
  const notes = html`${paused && html`<p class="warning" role="status"><b>The schedule is paused</b> by ${paused.by}${until}: ${paused.reason}. Replays go on.</p>`}
    ${!isEnabled && html`<p class="warning">Retries are switched off (RETRY_ENABLED): ticks claim nothing.</p>`}
    ${maxEvents !== null && html`<p class="muted small">A tick claims up to ${formatNumber(maxEvents)} events.</p>`}`;
  const none = html`<p class="muted">Nothing is due, and nothing becomes due within the hour.</p>`;
  const list = table('forecast', items, [
    ['Target', 'wrap', targetCell],
    ['State', 'wrap wide-only', stateOf],
    ['Due now', 'num', (item) => timeCome(item.due, item)],
    ['Held back', 'num', heldCell],
    ['Within the hour', 'num wide-only', soonCell],
  ]);
  return section('What happens next', html`${notes}${items.length === 0 ? none : list}`, time);
}

/** On a phone, with what other columns have. */
function targetCell(item: TargetForecast): Html {
  const name = item.target === null ? 'no route' : linkTarget(item.target, 'title');
  const soon = item.soon > 0 && html`<div class="muted small">within the hour: ${soonCell(item)}</div>`;
  return html`${name}<div class="narrow-only">${stateOf(item)}${soon}</div>`;
}

function stateOf({ state, because, until, due, heldBack, behindKey, failing }: TargetForecast): Html {
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
    until && html`next probe ${ago(until)}`,
    state === 'probe' && 'one event first, the others if it succeeds',
    behindKey > 0 && `${formatNumber(behindKey)} behind an earlier event of their key`,
    failing > 0 && `${formatNumber(failing)} whose cause fails by itself`,
  ].filter(Boolean);
  return html`${marks[state]}${more.map((each) => html`<div class="muted small">${each}</div>`)}`;
}

/** The filter finds all events whose time has come: a link only to as many as the number says. */
function timeCome(value: number, item: TargetForecast): Content {
  const isAll = value === item.due + item.heldBack;
  return countLink(value, item.isExact, isAll && printFilterText(item.filter));
}

/** What is held back; of a number that is only a lower bound also how many events wait in all. */
function heldCell(item: TargetForecast): Html {
  const all = html`<div class="muted small">of ${formatLeast(item.waiting, item.isWaitingExact)} waiting</div>`;
  return html`${timeCome(item.heldBack, item)}${!item.isExact && all}`;
}

function soonCell({ filter, soon, earliest, isExact }: TargetForecast): Html {
  const q = printFilterText({ ...filter, dueAfter: 'now', dueBefore: '1h' });
  return html`${countLink(soon, isExact, q)}${earliest && html`<div class="muted small">first ${ago(earliest)}</div>`}`;
}

function countLink(value: number, isExact: boolean, q: string | false): Content {
  const shown = formatLeast(value, isExact);
  return value === 0 || q === false ? shown : html`<a href="${searchLink(q)}">${shown}</a>`;
}

/** The forecast in two lines, with links; the overview says what holds back the others. */
export function forecastLines({ due, nextTick, heldBack, soon, isExact, items }: Forecast): Html {
  // Nothing is due at a target that gets no deliveries, however many events wait for it.
  const isDueExact = items.every((item) => item.isExact || (item.state !== 'open' && item.due === 0));
  const dueNow = heldBack === 0 ? countLink(due, isExact, 'due:now') : formatLeast(due, isDueExact);
  const rest =
    nextTick < due &&
    html`<span class="muted small more wrap">${formatNumber(nextTick)} in the next tick</span>`;
  return html`<li><span>Due now</span><span>${dueNow}</span>${rest}</li>
    <li><span>Within the hour</span><span>${countLink(soon, isExact, 'due:>now due:<1h')}</span></li>`;
}
