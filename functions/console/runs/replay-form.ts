import { type Pace, paces } from '../../../shared/replay/pace.ts';
import type { Rollout } from '../../../shared/replay/rollout.ts';
import { checkbox, selectField, textField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** The fields of the form; all except `q` are optional. */
const replayFields = [
  'q',
  'asOf',
  'includeSucceeded',
  'includeDiscarded',
  'target',
  'rate',
  'ramp',
  'canary',
  'stopAbove',
  'startAt',
  'notAfter',
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

/** How fast a replay begins, each with its button, its sentence, and its fields. */
export const presets = {
  careful: ['Careful', paces.careful.meaning, toFields(paces.careful.rollout)],
  normal: ['Normal', paces.normal.meaning, toFields(paces.normal.rollout)],
  fast: ['Fast', paces.fast.meaning, toFields(paces.fast.rollout)],
} as const satisfies Record<Pace, readonly [string, string, ReplayForm]>;

function toFields({ canary, ramp, gate }: Rollout): ReplayForm {
  return {
    ...(canary !== undefined && { canary: String(canary) }),
    ...(ramp !== undefined && { ramp: ramp.join(', ') }),
    stopAbove: String(gate ? gate.maxFailureRatio * 100 : 100),
  };
}

/** The form with the pace of a preset in place of its own. */
export function applyPreset(form: ReplayForm, name: keyof typeof presets): ReplayForm {
  return { ...withoutPace(form), ...presets[name][2] };
}

/** The fields that say which events are replayed, and not how fast. */
export function withoutPace({
  rate: _,
  ramp: __,
  canary: ___,
  stopAbove: ____,
  ...others
}: ReplayForm): ReplayForm {
  return others;
}

/** A button for each preset, which previews the replay with its pace. */
export function presetButtons(): Html {
  const list = Object.entries(presets).map(
    ([name, [text, sentence]]) =>
      html`<li><button class="small" name="command" value="${name}" formnovalidate>${text}</button> <span class="muted small">${sentence}</span></li>`,
  );
  return html`<fieldset class="fields"><legend>Preview at another pace</legend><ul class="presets">${list}</ul></fieldset>`;
}

type InputOptions = {
  readonly targetNames: readonly string[];
  /** What is wrong with each field. */
  readonly problems: Readonly<Record<string, string>>;
};

/** The fields of the form, beside the preview of their effect. */
export function replayInputs(form: ReplayForm, { targetNames, problems }: InputOptions): Html {
  const { reason, q: _, asOf: __, ...advanced } = form;
  const isOpen = Object.keys(advanced).length > 0 || Object.keys(problems).some((name) => name !== 'reason');
  return html`
    ${textField({ name: 'reason', label: 'Reason', value: reason, isRequired: true, problem: problems.reason, hint: 'Recorded in the audit log, and shown with the run.' })}
    ${collapsible('Pace, selection and target', advancedFields(form, targetNames, problems), isOpen)}`;
}

function advancedFields(
  form: ReplayForm,
  targetNames: readonly string[],
  problems: InputOptions['problems'],
): Html {
  const { target, stopAbove = '50' } = form;
  const targets = [['', "each event's own"], ...targetNames.map((name) => [name, name] as const)] as const;
  return html`
    <fieldset class="fields two-columns"><legend>Rollout</legend>
      ${textField({ name: 'rate', label: 'Max. per second', value: form.rate, problem: problems.rate, hint: 'Empty: the limits of the target.' })}
      ${textField({ name: 'canary', label: 'Canary', value: form.canary, problem: problems.canary, hint: 'Pause after this many events.' })}
      ${textField({ name: 'ramp', label: 'Ramp', value: form.ramp, problem: problems.ramp, hint: 'Events per second: 1, 5, 20, 100. Each step must succeed.' })}
      ${textField({ name: 'stopAbove', label: 'Pause above % failures', value: stopAbove, problem: problems.stopAbove, hint: 'Of the last 50. 100: never.' })}
    </fieldset>
    <fieldset class="fields two-columns"><legend>Time</legend>
      ${textField({ name: 'startAt', label: 'Not before', value: form.startAt, problem: problems.startAt, placeholder: '2026-03-01T02:00:00Z', hint: 'Empty: now. The first tick after it starts the replay.' })}
      ${textField({ name: 'notAfter', label: 'Not after', value: form.notAfter, problem: problems.notAfter, placeholder: '2026-03-01T05:00:00Z', hint: 'What waits then is not sent.' })}
    </fieldset>
    ${checkbox('waitForTarget', 'Wait while the target is down or held', form.waitForTarget !== undefined)}
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
