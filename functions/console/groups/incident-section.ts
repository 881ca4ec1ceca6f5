import { countOf } from '../../../shared/count-of.ts';
import type { Incident } from '../../../shared/groups/incidents.ts';
import { hiddenField, postForm, reasonField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { groupLink } from '../components/group-cells.ts';
import { replayButton, replayPath } from '../components/links.ts';
import { collapsible, section } from '../components/section.ts';
import { linkTarget } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';
import { muteFields } from './triage.ts';

/** Errors of one incident that are listed, those with most events first. */
const maxShown = 10;

/** The incidents: error groups that began together at one target, each with one replay and one mute. */
export function incidentSection(incidents: readonly Incident[], context: PageContext): Html | false {
  const lines = incidents.map(
    (incident) => html`<li>${incidentHead(incident, context)}${incidentErrors(incident, context)}</li>`,
  );
  return lines.length > 0 && section('Incidents', html`<ul class="incidents">${lines}</ul>`);
}

/** The incidents with unresolved events in a line each, with one replay. */
export function incidentLines(incidents: readonly Incident[], context: PageContext): Html | false {
  const open = incidents.filter((incident) => incident.open + incident.failedPermanently > 0);
  const lines = open.map((incident) => html`<li>${incidentHead(incident, context)}</li>`);
  const all = html`<a href="groups">All incidents</a>`;
  return lines.length > 0 && section('Incidents', html`<ul class="incidents">${lines}</ul>`, all);
}

function incidentErrors({ groups }: Incident, context: PageContext): Html {
  const lines = groups.slice(0, maxShown).map((group) => {
    const events = countOf(group.open + group.failedPermanently, 'event');
    return html`<li><span class="wrap">${groupLink(group)}</span><span>${events}</span></li>`;
  });
  const rest = groups.length - maxShown;
  const mute = postForm(context, {
    action: 'groups/selection',
    className: 'actions mute',
    content: html`${groups.map(({ fingerprint }) => hiddenField('fingerprint', fingerprint))}${reasonField()}${muteFields}`,
  });
  const more = rest > 0 && html`<li class="muted">and ${countOf(rest, 'other error')}</li>`;
  const list = html`<ul class="list">${lines}${more}</ul>${context.caller.isOperator && mute}`;
  return collapsible(`Show ${countOf(groups.length, 'error')}`, list);
}

function incidentHead(incident: Incident, { caller }: PageContext): Html {
  const { target, since, groups, open, failedPermanently } = incident;
  const fingerprints = groups.map(({ fingerprint }) => fingerprint).join(',');
  const path = replayPath({ q: `fingerprint:${fingerprints} status:PENDING,FAILED_PERMANENTLY` });
  const events = countOf(open + failedPermanently, 'event');
  return html`<div class="incident-head">${linkTarget(target, 'title')}
      <span>${countOf(groups.length, 'error')}, ${events}, began ${ago(since)}</span>
      ${caller.isOperator && replayButton('Replay…', path)}</div>`;
}
