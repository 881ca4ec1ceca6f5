import type { FoundGroup } from '../../../shared/error-groups.ts';
import { type Html, html } from '../html.ts';
import { formatNumber } from '../parts/number.ts';
import { postForm } from '../parts/post-form.ts';
import { moment } from '../parts/time.ts';
import type { Visit } from '../visit.ts';

const mutes = [
  ['1h', 'for 1 hour'],
  ['1d', 'for 1 day'],
  ['7d', 'for 7 days'],
  ['100', 'for 100 more failures'],
  ['1000', 'for 1,000 more failures'],
  ['100/h', 'until more than 100 fail in an hour'],
  ['1000/h', 'until more than 1,000 fail in an hour'],
] as const;

/** What people say about a group: its state, who looks after it, and what others should know. */
export function groupForm(group: FoundGroup, visit: Visit): Html {
  return html`<section aria-labelledby="triage"><h2 id="triage">Triage</h2>
    ${group.state === 'MUTED' && html`<p class="hint">${describeMute(group)}</p>`}
    ${postForm(visit, {
      action: `groups/${encodeURIComponent(group.fingerprint)}`,
      className: 'side-form',
      content: html`<div class="acts">
          ${group.state !== 'ACKNOWLEDGED' && html`<button name="state" value="ACKNOWLEDGED">Acknowledge</button>`}
          ${group.state !== 'RESOLVED' && html`<button name="state" value="RESOLVED">Resolve</button>`}
          ${group.state !== 'OPEN' && html`<button name="state" value="OPEN">Open again</button>`}
        </div>
        <div class="acts mute"><label class="field"><span>Mute</span><select name="mute">${mutes.map(
          ([value, words]) => html`<option value="${value}">${words}</option>`,
        )}</select></label><button name="state" value="MUTED">Mute</button></div>
        <label class="field"><span>Owner</span><input type="text" name="owner" maxlength="200" value="${group.owner}" autocomplete="off"></label>
        <label class="field"><span>Note</span><textarea name="note" rows="3" maxlength="10000">${group.note}</textarea></label>
        <label class="field"><span>Why (optional)</span><input type="text" name="reason" maxlength="2000" autocomplete="off"></label>
        <div class="acts"><button name="state" value="">Save owner and note</button></div>`,
    })}</section>`;
}

function describeMute({
  muted_until: until,
  muted_until_failure: failure,
  muted_until_hourly: hourly,
}: FoundGroup): Html {
  return html`Muted ${until && html`until ${moment(until)}`}${failure !== null && ` until failure ${formatNumber(failure)}`}${
    hourly !== null && ` until more than ${formatNumber(hourly)} fail in an hour`
  }.`;
}
