import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import type { Differences } from '../../../shared/groups/list-differences.ts';
import { picture } from '../components/chart.ts';
import { section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';

/** The values that the events of an error have, and others have not, each with a link to its events. */
export function differencesSection({ sampled, compared, differences }: Differences): Html | false {
  if (sampled === 0) return false;
  const sample = html`<p class="hint">The latest ${countOf(sampled, 'event')} of this error, compared with a sample of ${formatNumber(compared)} of all events that have the field.</p>`;
  const list = table('differences', differences, [
    ['Field', 'mono wrap', ({ field }) => field],
    [
      'Value',
      'wrap',
      ({ value, filter }) => html`<a href="${searchLink(printFilterText(filter))}">${value}</a>`,
    ],
    ['This error', 'num', ({ share }) => html`${percent(share)}${bar(share)}`],
    ['All events', 'num muted', ({ shareOfAll }) => html`${percent(shareOfAll)}${bar(shareOfAll)}`],
  ]);
  const shown = differences.length === 0 ? html`<p>No value stands out.</p>` : list;
  return section('What is different about these?', html`${shown}${sample}`);
}

/** At least 1 % and below 100 %, unless it is none or all. */
function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (share > 0 && rounded === 0) return '< 1 %';
  return share < 1 && rounded === 100 ? '> 99 %' : `${rounded} %`;
}

function bar(share: number): Html {
  return picture('share', { size: [100, 4] }, [{ x: 0, width: share * 100, height: 4 }]);
}
