import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { InputError } from '../../../shared/errors.ts';
import { changeGroups, GroupChangesSchema } from '../../../shared/groups/change-groups.ts';
import type { Group, GroupState } from '../../../shared/groups/error-groups.ts';
import { hiddenField, postForm, selectField, textField } from '../components/form.ts';
import { groupPath } from '../components/group-cells.ts';
import { section } from '../components/section.ts';
import { checkboxColumn } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

/** The states to which operators change errors, each with its button and its key. */
const changes = [
  ['ACKNOWLEDGED', 'Acknowledge', 'a'],
  ['RESOLVED', 'Resolve', 'e'],
  ['OPEN', 'Reopen', 'o'],
] as const;

/** How long errors can be muted, in hours. */
const mutes = [
  ['1h', 'for 1 hour', 1],
  ['1d', 'for 1 day', 24],
  ['7d', 'for 7 days', 7 * 24],
] as const;

const reasonField = textField({ name: 'reason', label: 'Reason (optional)', maxLength: 1000 });

/** The choice of a time with the button that mutes for it. */
export const muteFields = html`${selectField({ name: 'mute', label: 'Mute', options: mutes })}<button name="command" value="MUTED" data-key="m">Mute</button>`;

function stateButtons(...omitted: readonly GroupState[]): readonly Html[] {
  return changes
    .filter(([state]) => !omitted.includes(state))
    .map(
      ([state, text, key]) =>
        html`<button name="command" value="${state}" data-key="${key}">${text}</button>`,
    );
}

/** The checkbox of a group, and that of all groups of the page. */
export const groupCheckboxes = checkboxColumn(
  'fingerprint',
  ({ fingerprint, title }: Pick<Group, 'fingerprint' | 'title'>) => ({
    value: fingerprint,
    label: title ?? fingerprint,
  }),
);

/** A table of groups with the actions on them; viewers see the table. */
export function groupSelectionForm(rows: Content, context: PageContext): Content {
  if (!context.caller.isOperator) return rows;
  const more = html`<details class="more-actions"><summary>Mute, owner, reason</summary><div class="actions mute">
      ${muteFields}${textField({ name: 'owner', label: 'Owner', maxLength: 200 })}<button name="command" value="owner">Set owner</button>${reasonField}</div></details>`;
  return postForm(context, {
    action: 'groups/selection',
    className: 'selection',
    content: html`${hiddenField('back', `groups?${context.query}`)}
      <div class="actions action-bar"><button name="command" value="replay" data-key="r">Replay…</button>${stateButtons()}${more}
      <span class="muted small" data-selection-count aria-live="polite"></span></div>${rows}`,
  });
}

const formId = 'triage-form';

/** The button that acknowledges a group, for the head of its page: it sends the form of the group. */
export function acknowledgeButton({ state }: Group): Html | false {
  const button = html`<button form="${formId}" name="command" value="ACKNOWLEDGED" data-key="a">Acknowledge</button>`;
  return state !== 'ACKNOWLEDGED' && button;
}

/** The form for the state, owner and note of one group: each of its buttons saves owner and note, too. */
export function triageSection(group: Group, context: PageContext): Html {
  const path = groupPath(group);
  const form = postForm(context, {
    action: 'groups/selection',
    className: 'side-form',
    id: formId,
    content: html`${hiddenField('fingerprint', group.fingerprint)}${hiddenField('back', path)}
      <div class="actions">${stateButtons(group.state, 'ACKNOWLEDGED')}</div><div class="actions mute">${muteFields}</div>
      ${textField({ name: 'owner', label: 'Owner', value: group.owner, maxLength: 200 })}
      <label class="field"><span>Note</span><textarea name="note" rows="3" maxlength="10000">${group.note}</textarea></label>
      ${reasonField}
      <div class="actions"><button name="command" value="owner">Save owner and note</button></div>`,
  });
  const regrouping = html`<span><a href="${path}/split">Split…</a> · <a href="${path}/merge">Merge…</a></span>`;
  return section('Triage', form, regrouping);
}

/**
 * `POST /groups/selection {command, fingerprint, mute, owner, note, reason}`: changes groups, or previews a
 * replay of their events.
 */
export async function changeSelected({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const fingerprints = form.getAll('fingerprint');
  const sent = form.get('back') ?? '';
  const back = /^groups([?/]|$)/.test(sent) ? sent : 'groups';
  if (fingerprints.length === 0) return { to: back, notice: 'No error is selected: select errors first.' };
  if (form.get('command') === 'replay') {
    const q = `fingerprint:${fingerprints.join(',')} status:PENDING,FAILED_PERMANENTLY`;
    return { to: `runs/new?${new URLSearchParams({ q })}` };
  }
  const { change } = validate(GroupChangesSchema, { fingerprints, change: readChange(context) });
  const changed = await changeGroups(db, fingerprints, { ...change, actor: caller.name });
  const became = change.state ? `now ${change.state.toLowerCase()}` : 'saved with the owner';
  return { to: back, notice: `${countOf(changed.length, 'error is', 'errors are')} ${became}.` };
}

function readChange({ form, now }: PageContext) {
  const command = form.get('command') ?? '';
  const reason = form.get('reason') ?? undefined;
  const note = form.get('note') ?? undefined;
  // The owner of a list is set by its own button, that of one error with its note.
  const isOwned = command === 'owner' || note !== undefined;
  const given = { reason, note, ...(isOwned && { owner: form.get('owner') ?? '' }) };
  if (command === 'owner') return given;
  if (command === 'MUTED') return { ...given, state: command, mutedUntil: endOfMute(form.get('mute'), now) };
  if (changes.some(([state]) => state === command)) return { ...given, state: command };
  const known = [...changes.map(([state]) => state), 'MUTED', 'owner', 'replay'];
  throw new InputError([{ field: 'command', value: command, remedy: `Use one of ${known.join(', ')}.` }]);
}

/** The end of a mute in ISO 8601; undefined for an unknown duration. */
function endOfMute(requested: string | null, now: Date): string | undefined {
  const hours = mutes.find(([value]) => value === requested)?.[2];
  return hours === undefined ? undefined : new Date(now.getTime() + hours * 3_600_000).toISOString();
}
