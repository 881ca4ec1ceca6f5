import { countOf } from '../../../shared/count-of.ts';
import type { Incident } from '../../../shared/groups/incidents.ts';
import { hiddenField, postForm, reasonField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { groupLink } from '../components/group-cells.ts';
import { icon } from '../components/icon.ts';
import { collapsible, section } from '../components/section.ts';
import { linkTarget } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';
import { muteFields } from './triage.ts';

/** Errors of one incident that are listed, those with most events first. */
const maxShown = 10;

/** The incidents: error groups that began together at one target, each with one replay and one mute. */
export function incidentSection(incidents: readonly Incident[], context: PageContext): Html | false {
  if (incidents.length === 0) return false;
  const list = incidents.map((incident) => html`<li>${showIncident(incident, context)}</li>`);
  return section('Incidents', html`<ul class="incidents">${list}</ul>`);
}

/** The incidents with unresolved events in a line each, with one replay. */
export function incidentLines(incidents: readonly Incident[], context: PageContext): Html | false {
  const open = incidents.filter((incident) => incident.open + incident.failedPermanently > 0);
  if (open.length === 0) return false;
  const list = open.map((incident) => html`<li>${incidentHead(incident, context)}</li>`);
  return section(
    'Incidents',
    html`<ul class="incidents">${list}</ul>`,
    html`<a href="groups">All incidents</a>`,
  );
}

function showIncident(incident: Incident, context: PageContext): Html {
  const { groups } = incident;
  const rest = groups.length - maxShown;
  const lines = groups
    .slice(0, maxShown)
    .map(
      (group) =>
        html`<li><span class="wrap">${groupLink(group)}</span><span>${countOf(group.open + group.failedPermanently, 'event')}</span></li>`,
    );
  const mute = postForm(context, {
    action: 'groups/selection',
    className: 'actions mute',
    content: html`${groups.map(({ fingerprint }) => hiddenField('fingerprint', fingerprint))}
      ${reasonField()}${muteFields}`,
  });
  return html`${incidentHead(incident, context)}
    ${collapsible(`Show ${countOf(groups.length, 'error')}`, html`<ul class="list">${lines}${rest > 0 && html`<li class="muted">and ${countOf(rest, 'other error')}</li>`}</ul>${context.caller.isOperator && mute}`)}`;
}

function incidentHead(incident: Incident, { now, caller }: PageContext): Html {
  const { target, since, groups, open, failedPermanently } = incident;
  const q = `fingerprint:${fingerprintsOf(incident)} status:PENDING,FAILED_PERMANENTLY`;
  const events = countOf(open + failedPermanently, 'event');
  return html`<div class="incident-head">${linkTarget(target, 'title')}
      <span>${countOf(groups.length, 'error')}, ${events}, began ${ago(since, now)}</span>
      ${caller.isOperator && html`<a class="button" href="runs/new?${String(new URLSearchParams({ q }))}">${icon('replay')}Replay…</a>`}</div>`;
}

function fingerprintsOf({ groups }: Incident): string {
  return groups.map(({ fingerprint }) => fingerprint).join(',');
}
