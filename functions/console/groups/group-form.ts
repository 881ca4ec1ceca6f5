import { validate } from '../../../shared/config/validate.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import type { FoundGroup } from '../../../shared/groups/error-groups.ts';
import { GroupChangeSchema } from '../../../shared/groups/group-change.ts';
import { postForm, selectField, textField } from '../components/form.ts';
import { groupPath } from '../components/group-cells.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import { endOfMute, mutes } from './mutes.ts';

const stateButtons = [
  ['RESOLVED', 'Resolve', 'e'],
  ['OPEN', 'Reopen', 'o'],
] as const;

const formId = 'triage-form';

/** The button that acknowledges a group, for the head of its page: it sends the form of the group. */
export function acknowledgeButton({ state }: FoundGroup): Html | false {
  return (
    state !== 'ACKNOWLEDGED' &&
    html`<button form="${formId}" name="state" value="ACKNOWLEDGED" data-key="a">Acknowledge</button>`
  );
}

/** The form for the state, owner and note of a group. */
export function groupForm(group: FoundGroup, context: PageContext): Html {
  const buttons = stateButtons
    .filter(([state]) => state !== group.state)
    .map(
      ([state, text, key]) => html`<button name="state" value="${state}" data-key="${key}">${text}</button>`,
    );
  const form = postForm(context, {
    action: `groups/${encodeURIComponent(group.fingerprint)}`,
    className: 'side-form',
    id: formId,
    content: html`<div class="actions">${buttons}</div>
        <div class="actions mute">${selectField({ name: 'mute', label: 'Mute', options: mutes })}<button name="state" value="MUTED" data-key="m">${group.state === 'MUTED' ? 'Change' : 'Mute'}</button></div>
        ${textField({ name: 'owner', label: 'Owner', value: group.owner, maxLength: 200 })}
        <label class="field"><span>Note</span><textarea name="note" rows="3" maxlength="10000">${group.note}</textarea></label>
        ${textField({ name: 'reason', label: 'Reason (optional)', maxLength: 1000 })}
        <div class="actions"><button name="state" value="">Save owner and note</button></div>`,
  });
  const path = groupPath(group);
  const regrouping = html`<span><a href="${path}/split">Split…</a> · <a href="${path}/merge">Merge…</a></span>`;
  return section('Triage', form, regrouping);
}

/**
 * `POST /groups/:fingerprint {state, mute, owner, note, reason}`: changes the state, owner and note of a
 * group.
 */
export async function changeGroupByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller, now } = context;
  const { fingerprint = '' } = params;
  const state = form.get('state') || undefined;
  const request = {
    ...(state && { state }),
    ...(state === 'MUTED' && { mutedUntil: endOfMute(form.get('mute'), now) }),
    owner: form.get('owner') ?? undefined,
    note: form.get('note') ?? undefined,
    reason: form.get('reason') ?? undefined,
  };
  const change = validate(GroupChangeSchema, request);
  const changed = await changeGroups(db, [fingerprint], { ...change, actor: caller.name });
  if (changed.length === 0) throw new NotFoundError(`There is no error group ${fingerprint.slice(0, 80)}`);
  const notice = state ? `The error is now ${state.toLowerCase()}.` : 'Saved.';
  return { to: `groups/${encodeURIComponent(fingerprint)}`, notice };
}
