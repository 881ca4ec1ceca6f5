import { checkbox, selectField, textField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** The fields of the form; all except `q` are optional. */
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
  'waitForTarget',
  'toHeldTargets',
  'patch',
  'reason',
] as const;

export type ReplayForm = Readonly<Partial<Record<(typeof replayFields)[number], string>>>;

/** Reads the form, without its empty fields. */
export function readReplayForm(fields: URLSearchParams): ReplayForm {
  const given = replayFields.map((name) => [name, fields.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The fields that decide which events are replayed, with which content, and to which target. */
const selectionFields = ['q', 'includeSucceeded', 'includeDiscarded', 'target', 'patch'] as const;

/** The selection of a form as text, to tell whether it has changed since its preview. */
export function serializeSelection(form: ReplayForm): string {
  return JSON.stringify(selectionFields.map((name) => form[name] ?? ''));
}

/** The fields of the form, beside the preview of their effect. */
export function replayInputs(form: ReplayForm, targetNames: readonly string[]): Html {
  const { target, stopAbove = '50' } = form;
  const targets = [['', "each event's own"], ...targetNames.map((name) => [name, name] as const)] as const;
  return html`
    ${textField({ name: 'reason', label: 'Reason', value: form.reason, isRequired: true, hint: 'Recorded in the audit log, and shown with the run.' })}
    <fieldset class="fields two-columns"><legend>Rollout</legend>
      ${textField({ name: 'rate', label: 'Max. per second', value: form.rate, hint: 'Empty: the limits of the target.' })}
      ${textField({ name: 'canary', label: 'Canary', value: form.canary, hint: 'Pause after this many events.' })}
      ${textField({ name: 'ramp', label: 'Ramp', value: form.ramp, hint: '1, 5, 20, 100: each step must succeed.' })}
      ${textField({ name: 'stopAbove', label: 'Pause above % failures', value: stopAbove, hint: 'Of the last 50. 100: never.' })}
      ${checkbox('waitForTarget', 'Wait while the target is down or held', form.waitForTarget !== undefined)}
    </fieldset>
    <fieldset class="fields"><legend>Selection and target</legend>
      ${checkbox('includeSucceeded', 'Include delivered events', form.includeSucceeded !== undefined)}
      ${checkbox('includeDiscarded', 'Include discarded events', form.includeDiscarded !== undefined)}
      ${selectField({ name: 'target', label: 'Target', value: target, options: targets })}
    </fieldset>
    ${collapsible('Patch all events', patchField(form.patch), form.patch !== undefined)}`;
}

function patchField(patch: string | undefined): Html {
  return html`<label class="field"><span>JSON Patch</span>
    <textarea name="patch" rows="5" class="mono" spellcheck="false" placeholder='[{"op": "replace", "path": "/currency", "value": "EUR"}]'>\n${patch}</textarea>
    <span class="hint">Each event is sent patched (RFC 6902); the stored event is unchanged. Preview again to see the difference.</span></label>`;
}
