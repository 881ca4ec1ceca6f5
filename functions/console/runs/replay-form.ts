import { type Html, html } from '../html.ts';

/** What a person fills in to replay events; all but `q` may be left out. */
export const replayFields = [
  'q',
  'asOf',
  'includeSucceeded',
  'includeDiscarded',
  'target',
  'rate',
  'ramp',
  'canary',
  'stopAbove',
  'watch',
  'patch',
  'reason',
] as const;

export type ReplayForm = Readonly<Partial<Record<(typeof replayFields)[number], string>>>;

/** The fields as they were sent, without those that are empty. */
export function readReplayForm(fields: URLSearchParams): ReplayForm {
  const given = replayFields.map((name) => [name, fields.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** What of a form decides which events are replayed, as what, and where to; not how fast, or why. */
export function choiceOf({ q, includeSucceeded, includeDiscarded, target, patch }: ReplayForm): string {
  return JSON.stringify([q, includeSucceeded, includeDiscarded, target, patch].map((each) => each ?? ''));
}

const watches = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
] as const;

/** The fields of the form, beside a preview of what they would do. */
export function replayInputs(form: ReplayForm, targets: readonly string[]): Html {
  return html`
    ${textField({ name: 'reason', label: 'Why', value: form.reason, isRequired: true, hint: 'The audit keeps it, and others will read it.' })}
    <fieldset class="fields pairwise"><legend>How fast</legend>
      ${textField({ name: 'rate', label: 'At most per second', value: form.rate, hint: 'Empty: as the target takes it.' })}
      ${textField({ name: 'canary', label: 'Canary', value: form.canary, hint: 'After so many it waits for you.' })}
      ${textField({ name: 'ramp', label: 'Ramp', value: form.ramp, hint: '1, 5, 20, 100: each step has to go well.' })}
      ${textField({ name: 'stopAbove', label: 'Pause above % failures', value: form.stopAbove ?? '50', hint: 'Of the last 50. 100: never.' })}
    </fieldset>
    <fieldset class="fields"><legend>Which and where</legend>
      ${checkbox('includeSucceeded', 'Also those that were delivered', form)}
      ${checkbox('includeDiscarded', 'Also those that were discarded', form)}
      <label class="field"><span>Target</span><select name="target"><option value="">each event's own</option>${targets.map(
        (target) => html`<option${target === form.target && html` selected`}>${target}</option>`,
      )}</select></label>
      <label class="field"><span>Watch for events that come back</span><select name="watch">${watches.map(
        ([seconds, words]) =>
          html`<option value="${seconds}"${seconds === (form.watch ?? '86400') && html` selected`}>${words}</option>`,
      )}</select></label>
    </fieldset>
    <details class="fold"${form.patch && html` open`}><summary>Change all of them</summary>
      <label class="field"><span>JSON Patch</span>
        <textarea name="patch" rows="5" class="mono" spellcheck="false" placeholder='[{"op": "replace", "path": "/currency", "value": "EUR"}]'>\n${form.patch}</textarea>
        <span class="hint">Each is sent as the patch makes it (RFC 6902); events stay as they were captured. Preview again to see the difference.</span></label></details>`;
}

type Field = {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly hint: string;
  readonly isRequired?: boolean;
};

function textField({ name, label, value, hint, isRequired = false }: Field): Html {
  return html`<label class="field"><span>${label}</span><input type="text" name="${name}" value="${value}"${isRequired && html` required`} autocomplete="off"><span class="hint">${hint}</span></label>`;
}

function checkbox(name: 'includeSucceeded' | 'includeDiscarded', words: string, form: ReplayForm): Html {
  return html`<label><input type="checkbox" name="${name}" value="on"${form[name] && html` checked`}> ${words}</label>`;
}
