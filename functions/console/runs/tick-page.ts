import type { Tally } from '../../../shared/delivery/tally.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { formatNumber, moment } from '../components/format.ts';
import { pageHead, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { describeTick } from './describe-tick.ts';

/** A tick with its tally for each target. Throws a NotFoundError. */
export async function tickPage({ db }: ConsoleDeps, { params }: PageContext): Promise<Page> {
  const id = /^[1-9]\d{0,17}$/.exec(params.id ?? '')?.[0] ?? '0';
  const [tick] = await listTicks(db, { before: String(BigInt(id) + 1n), limit: 1 });
  if (tick?.id !== id) throw new NotFoundError(`There is no run ${(params.id ?? '').slice(0, 40)}`);
  const table = html`<table><thead><tr><th>Target</th>${columns.map(([, name]) => html`<th class="num">${name}</th>`)}</tr></thead>
    <tbody>${Object.entries(tick.targets).map(([target, tally]) => targetRow(target, tally))}</tbody></table>`;
  const started = html`<span class="muted">${moment(tick.startedAt)}</span>`;
  const main = html`${pageHead('Scheduled retries', [['Runs', 'runs'], [id]], started)}
    <p>${describeTick(tick)}</p>${section('By target', table)}`;
  return { title: `Run ${id}`, tab: 'runs', main };
}

const columns = [
  ['claimed', 'Claimed'],
  ['delivered', 'Delivered'],
  ['transient', 'Transient'],
  ['permanent', 'Permanent'],
] as const satisfies readonly (readonly [keyof Tally, string])[];

function targetRow(target: string, tally: Partial<Tally>): Html {
  return html`<tr><td class="wrap">${target}</td>${columns.map(
    ([field]) => html`<td class="num">${formatNumber(tally[field] ?? 0)}</td>`,
  )}</tr>`;
}
