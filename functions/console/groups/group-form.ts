import type { FoundGroup } from '../../../shared/groups/error-groups.ts';
import { postForm, selectField, textField } from '../components/form.ts';
import { formatNumber, moment } from '../components/format.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';

const mutes = [
  ['1h', 'for 1 hour'],
  ['1d', 'for 1 day'],
  ['7d', 'for 7 days'],
  ['100', 'for 100 more failures'],
  ['1000', 'for 1,000 more failures'],
  ['100/h', 'until more than 100 fail in an hour'],
  ['1000/h', 'until more than 1,000 fail in an hour'],
] as const;

const stateButtons = [
  ['ACKNOWLEDGED', 'Acknowledge'],
  ['RESOLVED', 'Resolve'],
  ['OPEN', 'Reopen'],
] as const;

/** The form for the state, owner and note of a group. */
export function groupForm(group: FoundGroup, context: PageContext): Html {
  const buttons = stateButtons
    .filter(([state]) => state !== group.state)
    .map(([state, text]) => html`<button name="state" value="${state}">${text}</button>`);
  const form = postForm(context, {
    action: `groups/${encodeURIComponent(group.fingerprint)}`,
    className: 'side-form',
    content: html`<div class="actions">${buttons}</div>
        <div class="actions mute">${selectField({ name: 'mute', label: 'Mute', options: mutes })}<button name="state" value="MUTED">Mute</button></div>
        ${textField({ name: 'owner', label: 'Owner', value: group.owner, maxLength: 200 })}
        <label class="field"><span>Note</span><textarea name="note" rows="3" maxlength="10000">${group.note}</textarea></label>
        ${textField({ name: 'reason', label: 'Reason (optional)', maxLength: 2000 })}
        <div class="actions"><button name="state" value="">Save owner and note</button></div>`,
  });
  const mute = group.state === 'MUTED' && html`<p class="hint">${describeMute(group)}</p>`;
  return section('Triage', html`${mute}${form}`);
}

function describeMute({
  mutedUntil: until,
  mutedUntilFailure: failure,
  mutedUntilHourly: hourly,
}: FoundGroup): Html {
  return html`Muted ${until && html`until ${moment(until)}`}${failure !== null && ` until failure ${formatNumber(failure)}`}${
    hourly !== null && ` until more than ${formatNumber(hourly)} fail in an hour`
  }.`;
}
