import pg from 'pg';
import { toCondition } from '../../../shared/events/filter/filter-condition.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { findOrder, orders } from '../../../shared/events/filter/page-position.ts';
import { collapsible } from '../components/section.ts';
import { visibleText } from '../components/visible-text.ts';
import { type Html, html } from '../html.ts';
import { quoteForShell } from './quote-for-shell.ts';
import { type SearchScope, searchLink } from './search.ts';

type List = {
  readonly filter: Filter;
  readonly text: string;
  /** The text with its relative times as points in time; undefined if it has none. */
  readonly frozen: string | undefined;
  readonly scope: SearchScope;
  readonly now: Date;
};

/** A list to hand over: as a file, and as commands that list the same events. */
export function handOver({ filter, text, frozen, scope, now }: List): Html {
  const isArchived = scope === 'events/archive';
  const file = (format: string) =>
    `events/export?${new URLSearchParams({ q: text, format, ...(isArchived && { archived: 'true' }) })}`;
  return collapsible(
    'Export and copy',
    html`<div class="hand-over"><p><a class="button" href="${file('csv')}" download>Export as CSV</a>
      <a class="button" href="${file('ndjson')}" download>Export as NDJSON</a>
      <span class="muted small">All events of this list, not only this page. Masked fields stay masked.</span></p>
      ${frozen && html`<p><a href="${searchLink(frozen, scope)}">This list with fixed times</a>, to share it: <code>${text}</code> means another period later.</p>`}
      ${command('curl', curlOf(text, isArchived))}
      ${command('sql', sqlOf({ filter, table: isArchived ? 'dlq_events_archive' : 'dlq_events', now }))}</div>`,
  );
}

function command(name: 'curl' | 'sql', text: string): Html {
  return html`<pre class="code" id="list-${name}">${text}</pre>
    <p><button type="button" data-copy="list-${name}" hidden>Copy as ${name === 'sql' ? 'SQL' : 'curl'}</button></p>`;
}

/** The list of the API; the reader sets REPLAY_URL to the address of the replay function. */
function curlOf(text: string, isArchived: boolean): string {
  return [
    'curl --get "$REPLAY_URL/events"',
    '-H "Authorization: Bearer $(gcloud auth print-identity-token)"',
    ...(isArchived ? ['--data-urlencode archived=true'] : []),
    `--data-urlencode ${quoteForShell(`q=${text}`)}`,
  ].join(' \\\n  ');
}

/** The list as a statement, with each value as a literal. */
export function sqlOf({ filter, table, now }: { filter: Filter; table: string; now: Date }): string {
  const { text, values } = toCondition(filter, { now, first: 1 });
  const condition = text.replaceAll(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]));
  return `select * from ${table} as event\nwhere ${condition}\norder by ${orders[findOrder(filter)].latestFirst}\nlimit 50;`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const escapes = visibleText(text.replaceAll('\\', '\\\\').replaceAll("'", "''"));
  return text === visibleText(text) ? pg.escapeLiteral(text) : `E'${escapes}'`;
}
