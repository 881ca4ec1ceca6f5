import { checkbox, selectField, textArea, textField } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ReplayForm } from './replay-form.ts';

type InputOptions = {
  readonly targetNames: readonly string[];
  /** The problem of each field. */
  readonly problems: Readonly<Record<string, string>>;
};

/** All that is seldom needed: times, the selection, another target, and a patch. */
export function advancedInputs(form: ReplayForm, { targetNames, problems }: InputOptions): Html {
  const { startAt, notAfter, includeSucceeded, includeDiscarded, target, patch } = form;
  const isSet = [startAt, notAfter, includeSucceeded, includeDiscarded, target, patch].some(Boolean);
  const isOpen = isSet || Object.keys(problems).some((name) => name !== 'reason');
  const targets = [['', "each event's own"], ...targetNames.map((name) => [name, name] as const)] as const;
  const patchField = textArea({
    name: 'patch',
    label: 'JSON Patch',
    value: patch,
    rows: 5,
    problem: problems.patch,
    placeholder: '[{"op": "replace", "path": "/currency", "value": "EUR"}]',
    hint: 'Each event is sent patched (RFC 6902); the stored event is unchanged. Preview again to see the difference.',
  });
  const fields = html`<div class="side-form">
      ${textField({ name: 'startAt', label: 'Not before', value: startAt, problem: problems.startAt, placeholder: '2026-03-01T02:00:00Z', hint: 'Empty: now. The first tick after it starts the replay.' })}
      ${textField({ name: 'notAfter', label: 'Not after', value: notAfter, problem: problems.notAfter, placeholder: '2026-03-01T05:00:00Z', hint: 'What waits then is not sent.' })}
      ${checkbox('includeSucceeded', 'Include delivered events', includeSucceeded !== undefined)}
      ${checkbox('includeDiscarded', 'Include discarded events', includeDiscarded !== undefined)}
      ${selectField({ name: 'target', label: 'Target', value: target, options: targets })}
      ${collapsible('Patch all events', patchField, patch !== undefined)}</div>`;
  return collapsible('Time, selection and target', fields, isOpen);
}
