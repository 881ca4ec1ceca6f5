import type { Preview } from '../../replay/runs/preview-run.ts';
import { type Content, type Html, html } from '../html.ts';
import { countOf, formatNumber } from '../parts/number.ts';
import { status } from '../parts/status.ts';

/** What a replay would do: how many, where to, what is left out and why, and what is dangerous about it. */
export function previewSections(preview: Preview): Html {
  return html`${warnings(preview)}
    ${section(
      'where',
      'Where to',
      html`<table><thead><tr><th>Target</th><th class="num">Events</th></tr></thead><tbody>${preview.targets.map(
        ({ target, events, subscriptions }) =>
          html`<tr><td class="wrap">${target}${subscriptions && html`<div class="muted small">${countOf(subscriptions, 'subscription')}</div>`}</td><td class="num">${formatNumber(events)}</td></tr>`,
      )}</tbody></table>`,
    )}
    ${section('what', 'What', html`${groupTable('Event type', preview.eventTypes)}`)}
    ${section('why', 'Why they failed', groupTable('Error', preview.errorGroups))}
    ${preview.samples.length > 0 && section('samples', 'The first of them', samples(preview))}`;
}

const meanings: Readonly<Record<Preview['leftOut'][number]['reason'], string>> = {
  leased: 'is being delivered right now',
  delivered: 'was delivered already',
  discarded: 'was discarded',
  'no-route': 'has no route that matches',
};

/** What is left out, with the reason for each. */
export function leftOut({ leftOut }: Preview): Html | false {
  if (leftOut.length === 0) return false;
  return html`<section aria-labelledby="left-out"><h2 id="left-out">Left out</h2><ul class="lines">${leftOut.map(
    ({ events, reason }) => html`<li><span>${meanings[reason]}</span><b>${formatNumber(events)}</b></li>`,
  )}</ul></section>`;
}

function warnings({ targets }: Preview): Content {
  return targets.map(
    ({ target, advice }) => advice && html`<p class="warning"><b class="wrap">${target}</b>: ${advice}</p>`,
  );
}

function section(id: string, title: string, content: Content): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

function groupTable(name: string, { count, largest }: Preview['errorGroups']): Html {
  return html`<table><thead><tr><th>${name}</th><th class="num">Events</th></tr></thead><tbody>${largest.map(
    (group) =>
      html`<tr><td class="wrap">${nameGroup(group)}</td><td class="num">${formatNumber(group.events)}</td></tr>`,
  )}</tbody></table>${count > largest.length && html`<p class="hint">and ${formatNumber(count - largest.length)} more</p>`}`;
}

/** An error group leads to what else is known of it. */
function nameGroup({ value, errorClass, errorReason }: Preview['errorGroups']['largest'][number]): Content {
  if (errorReason === undefined) return value;
  const words = html`${errorClass && html`<b>${errorClass}</b> `}${errorReason}`;
  return value === null
    ? words
    : html`<a class="title plain-title" href="groups/${encodeURIComponent(value)}">${words}</a>`;
}

function samples({ samples }: Preview): Html {
  return html`<table class="groups"><tbody>${samples.map(
    (
      sample,
    ) => html`<tr><td><a class="title" href="events/${sample.id}">${sample.eventType}</a> <span class="muted small">${sample.id}</span>
      <div class="muted small clip">${sample.errorReason}</div></td><td class="num sample-status">${status(sample.status)}</td></tr>`,
  )}</tbody></table>`;
}
