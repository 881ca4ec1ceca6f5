import { checkbox, selectField, textField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ReplayForm } from './replay-form.ts';

type InputOptions = {
  readonly targetNames: readonly string[];
  /** What is wrong with each field. */
  readonly problems: Readonly<Record<string, string>>;
};

/** All that is seldom needed: an own pace, times, the selection, another target, and a patch. */
export function advancedInputs(form: ReplayForm, { targetNames, problems }: InputOptions): Html {
  const { reason: _, q: __, asOf: ___, start: ____, pace: _____, ...advanced } = form;
  const isOpen = Object.keys(advanced).length > 0 || Object.keys(problems).some((name) => name !== 'reason');
  return collapsible('Own pace, selection and target', advancedFields(form, targetNames, problems), isOpen);
}

function advancedFields(
  form: ReplayForm,
  targetNames: readonly string[],
  problems: InputOptions['problems'],
): Html {
  const { target, stopAbove = '50' } = form;
  const targets = [['', "each event's own"], ...targetNames.map((name) => [name, name] as const)] as const;
  return html`
    <fieldset class="fields two-columns"><legend>Own pace, if it is chosen above</legend>
      ${textField({ name: 'rate', label: 'Max. per second', value: form.rate, problem: problems.rate, hint: 'Empty: the limits of the target.' })}
      ${textField({ name: 'canary', label: 'Canary', value: form.canary, problem: problems.canary, hint: 'Pause after this many events.' })}
      ${textField({ name: 'ramp', label: 'Ramp', value: form.ramp, problem: problems.ramp, hint: 'Deliveries of each step: 1, 5, 20, 100. Each must pass before the next.' })}
      ${textField({ name: 'stopAbove', label: 'Pause above % failures', value: stopAbove, problem: problems.stopAbove, hint: 'Of the last 50. 100: never.' })}
    </fieldset>
    <fieldset class="fields two-columns"><legend>Time</legend>
      ${textField({ name: 'startAt', label: 'Not before', value: form.startAt, problem: problems.startAt, placeholder: '2026-03-01T02:00:00Z', hint: 'Empty: now. The first tick after it starts the replay.' })}
      ${textField({ name: 'notAfter', label: 'Not after', value: form.notAfter, problem: problems.notAfter, placeholder: '2026-03-01T05:00:00Z', hint: 'What waits then is not sent.' })}
    </fieldset>
    <fieldset class="fields"><legend>Selection and target</legend>
      ${checkbox('includeSucceeded', 'Include delivered events', form.includeSucceeded !== undefined)}
      ${checkbox('includeDiscarded', 'Include discarded events', form.includeDiscarded !== undefined)}
      ${selectField({ name: 'target', label: 'Target', value: target, options: targets })}
    </fieldset>
    ${collapsible('Patch all events', patchField(form.patch, problems.patch), form.patch !== undefined)}`;
}

function patchField(patch: string | undefined, problem: string | undefined): Html {
  return html`<label class="field"><span>JSON Patch</span>
    <textarea name="patch" rows="5" class="mono" spellcheck="false"${problem && html` aria-invalid="true"`} placeholder='[{"op": "replace", "path": "/currency", "value": "EUR"}]'>\n${patch}</textarea>${problem && html`<span class="problem">${problem}</span>`}
    <span class="hint">Each event is sent patched (RFC 6902); the stored event is unchanged. Preview again to see the difference.</span></label>`;
}
