import { NotFoundError } from '../../../shared/errors.ts';
import type { Tally } from '../../../shared/tally.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { formatNumber } from '../parts/number.ts';
import { describeTick, listTicks } from '../parts/ticks.ts';
import { moment } from '../parts/time.ts';
import type { Visit } from '../visit.ts';

/** A tick of the schedule: what it did for each target. Throws a NotFoundError. */
export async function tickPage({ db }: ConsoleDeps, { params }: Visit): Promise<Page> {
  const id = /^[1-9]\d{0,17}$/.exec(params.id ?? '')?.[0] ?? '0';
  const [tick] = await listTicks(db, { before: String(BigInt(id) + 1n), limit: 1 });
  if (tick?.id !== id) throw new NotFoundError(`There is no run ${(params.id ?? '').slice(0, 40)}`);
  const main = html`<div class="head"><p class="crumb"><a href="runs">Runs</a> / ${id}</p><h1>Retries by schedule</h1>
      <span class="muted">${moment(tick.started_at)}</span></div>
    <p>${describeTick(tick)}</p>
    <section aria-labelledby="by-target"><h2 id="by-target">By target</h2>
      <table><thead><tr><th>Target</th>${columns.map(([, name]) => html`<th class="num">${name}</th>`)}</tr></thead>
      <tbody>${Object.entries(tick.targets).map(([target, tally]) => targetRow(target, tally))}</tbody></table></section>`;
  return { title: `Run ${id}`, tab: 'runs', main };
}

const columns = [
  ['claimed', 'Tried'],
  ['delivered', 'Delivered'],
  ['transient', 'May pass later'],
  ['permanent', 'Refused'],
] as const satisfies readonly (readonly [keyof Tally, string])[];

function targetRow(target: string, tally: Partial<Tally>): Html {
  return html`<tr><td class="wrap">${target}</td>${columns.map(
    ([field]) => html`<td class="num">${formatNumber(tally[field] ?? 0)}</td>`,
  )}</tr>`;
}
