import { validate } from '../../../shared/config/validate.ts';
import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { changeGroups, GroupChangesSchema } from '../../../shared/groups/change-groups.ts';
import type { Group, GroupState } from '../../../shared/groups/error-groups.ts';
import type { Incident } from '../../../shared/groups/incidents.ts';
import { DueTimeSchema, resolveDueTime } from '../../../shared/time-text.ts';
import { groupLink } from '../components/error-name.ts';
import {
  hiddenField,
  optionalReason,
  postForm,
  reasonField,
  selectField,
  textField,
} from '../components/form.ts';
import { ago } from '../components/format.ts';
import { groupPath, link, replayButton } from '../components/links.ts';
import { readCommand } from '../components/read-form.ts';
import { collapsible, countList, section } from '../components/section.ts';
import { checkboxColumn } from '../components/table.ts';
import { linkTarget } from '../components/target-state.ts';
import { type Content, type Html, html } from '../html.ts';
import { addressOf, type ConsoleDeps, type PageContext, type Redirect } from '../page.ts';

const changes = [
  ['ACKNOWLEDGED', 'Acknowledge', 'a'],
  ['RESOLVED', 'Resolve', 'e'],
  ['OPEN', 'Reopen', 'o'],
] as const;

const mutes = Object.entries({ '1h': 'for 1 hour', '1d': 'for 1 day', '7d': 'for 7 days' });

/** The choice of a time with the button that mutes for it. */
const muteFields = html`<div class="actions">${selectField({ name: 'mute', label: 'Mute', options: mutes })}<button name="command" value="MUTED" data-key="m">Mute</button></div>`;

/** Mutes, and sets the owner: of one error also the note, which each button saves. */
function triageFields(group?: Group): Html {
  const { owner, note } = group ?? {};
  return html`${muteFields}${textField({ name: 'owner', label: 'Owner', value: owner, maxLength: 200 })}
    ${group && textField({ name: 'note', label: 'Note', value: note, rows: 3, maxLength: 10_000 })}
    ${group && Object.entries({ owner, note }).map(([name, value]) => hiddenField(`shown-${name}`, value ?? ''))}
    ${optionalReason}
    <div class="actions"><button name="command" value="owner">Save owner${group && ' and note'}</button></div>`;
}

function stateButtons(...omitted: readonly GroupState[]): readonly Html[] {
  const shown = changes.filter(([state]) => !omitted.includes(state));
  return shown.map(
    ([state, text, key]) => html`<button name="command" value="${state}" data-key="${key}">${text}</button>`,
  );
}

/** The checkbox of a group, and that of all groups of the page. */
export const groupCheckboxes = checkboxColumn('fingerprint', ({ fingerprint, title }: Group) => [
  fingerprint,
  title ?? fingerprint,
]);

/** A table of groups with the actions on them; viewers see the table. */
export function groupSelectionForm(rows: Content, context: PageContext): Content {
  if (!context.caller.isOperator) return rows;
  return postForm(context, {
    action: 'groups',
    className: 'selection',
    content: html`${hiddenField('back', addressOf(context))}${rows}
      <div class="actions action-bar"><button name="command" value="replay" data-key="r">Replay…</button>${stateButtons()}${collapsible('Mute, owner, reason', triageFields())}
      <span class="muted small" data-selection-count aria-live="polite"></span></div>`,
  });
}

const formId = 'triage-form';

/** The button that acknowledges a group, for the head of its page: it sends the form of the group. */
export const acknowledgeButton = html`<button form="${formId}" name="command" value="ACKNOWLEDGED" data-key="a">Acknowledge</button>`;

/** The form for the state, owner and note of one group: each of its buttons saves owner and note, too. */
export function triageSection(group: Group, context: PageContext): Html {
  const path = groupPath(group.fingerprint);
  const form = postForm(context, {
    action: path,
    id: formId,
    content: html`${hiddenField('fingerprint', group.fingerprint)}${hiddenField('back', path)}
      <div class="actions">${stateButtons(group.state, 'ACKNOWLEDGED')}</div>${triageFields(group)}`,
  });
  const regrouping = html`<span><a href="${path}/split">Split…</a> · <a href="${path}/merge">Merge…</a></span>`;
  return section('Triage', form, regrouping);
}

/** `POST /groups {command, fingerprint, ...}`: changes groups, or previews their replay. */
export async function changeByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const fingerprints = form.getAll('fingerprint');
  const [back = 'groups'] = /^groups([?/].*)?$/s.exec(form.get('back') ?? '') ?? [];
  if (fingerprints.length === 0) return { to: back, notice: 'No error is selected: select errors first.' };
  if (form.get('command') === 'replay') {
    const q = `fingerprint:${fingerprints.join(',')} status:PENDING,FAILED_PERMANENTLY`;
    return { to: link('runs/new', { q }) };
  }
  const { change } = validate(GroupChangesSchema, { fingerprints, change: readChange(context) });
  const changed = await changeGroups(db, fingerprints, { ...change, actor: caller.name });
  const became = change.state ? `now ${change.state.toLowerCase()}` : 'saved with the owner';
  const notice = `${countOf(changed.length, 'error is', 'errors are')} ${became}.`;
  return { to: back, notice: changed.length > 0 ? notice : 'Nothing was changed.' };
}

const commands = [...changes.map(([state]) => state), 'MUTED', 'owner', 'replay'] as const;

function readChange({ form, now }: PageContext) {
  const command = readCommand(form, commands);
  // Another operator may have changed a value since the form showed it.
  const read = (name: string) => {
    const value = form.get(name);
    return value === form.get(`shown-${name}`) ? undefined : (value ?? undefined);
  };
  // The owner of a list is set by its own button, that of one error with its note.
  const isOwned = command === 'owner' || form.has('note');
  const given = { reason: read('reason'), note: read('note'), owner: isOwned ? read('owner') : undefined };
  if (command === 'owner') return given;
  if (command === 'MUTED') {
    const length = validate(DueTimeSchema, form.get('mute') ?? '', 'mute');
    return { ...given, state: command, mutedUntil: resolveDueTime(length, now) };
  }
  return { ...given, state: command };
}

const maxListed = 10;

/**
 * The incidents: error groups that began together at one target, each with one replay and one mute. In short:
 * those with unresolved events, in a line each.
 */
export function incidentSection(incidents: readonly Incident[], context: PageContext, isShort = false) {
  const shown = isShort ? incidents.filter((each) => each.open + each.failedPermanently > 0) : incidents;
  const lines = shown.map(
    (each) => html`<li>${incidentHead(each, context)}${!isShort && incidentErrors(each, context)}</li>`,
  );
  const all = isShort && html`<a href="groups">All incidents</a>`;
  return lines.length > 0 && section('Incidents', html`<ul class="incidents">${lines}</ul>`, all);
}

/** `13 events, 1 failed permanently`, or of all `12 events failed permanently` */
function sayEvents({ open, failedPermanently: failed }: Pick<Group, 'open' | 'failedPermanently'>): string {
  const number = open > 0 ? `, ${formatNumber(failed)}` : '';
  return `${countOf(open + failed, 'event')}${failed > 0 ? `${number} failed permanently` : ''}`;
}

/** The errors of an incident, which are hidden unless one needs a decision. */
function incidentErrors({ groups, failedPermanently }: Incident, context: PageContext): Html {
  const lines = groups.slice(0, maxListed).map((group) => [groupLink(group), sayEvents(group)] as const);
  const rest = groups.length - maxListed;
  const mute = postForm(context, {
    action: 'groups',
    content: html`${groups.map(({ fingerprint }) => hiddenField('fingerprint', fingerprint))}${reasonField(context)}${muteFields}`,
  });
  const more = rest > 0 && html`<p class="muted">and ${countOf(rest, 'other error')}</p>`;
  const list = html`${countList(lines)}${more}${context.caller.isOperator && mute}`;
  return collapsible(countOf(groups.length, 'error'), list, failedPermanently > 0);
}

function incidentHead(incident: Incident, { caller }: PageContext): Html {
  const { target, since, groups } = incident;
  const fingerprints = groups.map(({ fingerprint }) => fingerprint).join(',');
  const q = `fingerprint:${fingerprints} status:PENDING,FAILED_PERMANENTLY`;
  return html`<div class="incident-head">${linkTarget(target, 'title')}
      <span>${countOf(groups.length, 'error')}, in all ${sayEvents(incident)}, began ${ago(since)}</span>
      ${caller.isOperator && replayButton('Replay…', { q })}</div>`;
}
