import { InputError } from '../../../shared/errors.ts';
import { type Content, type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';
import { findJsonProblem } from './json-problem.ts';

/** The name of the environment, colored by what it says: production, a stage before it, or another. */
export function environmentBadge(name: string): Html | false {
  return name !== '' && html`<span class="environment ${toneOf(name)}">${name}</span>`;
}

/** The tone of an environment, as a class. */
export function toneOf(name: string): 'production' | 'staging' | 'other' {
  if (/prod|live|prd/i.test(name) && !/non-?prod|pre-?prod/i.test(name)) return 'production';
  return /stag|test|qa|uat|prod|int/i.test(name) ? 'staging' : 'other';
}

type Form = {
  readonly action: string;
  readonly className?: string;
  readonly id?: string;
  readonly content: Content;
};

/** A form that changes something; for viewers, whom to ask. */
export function postForm(
  context: Pick<PageContext, 'caller'>,
  { action, className, id, content }: Form,
): Html {
  if (!context.caller.isOperator) return askOperator;
  return html`<form method="post" action="${action}" class="${className}"${id && html` id="${id}"`}>
    ${content}
  </form>`;
}

/** The words of a button that changes much, with the environment: `Replay 488 events in production`. */
export function inEnvironment(words: string, { environment }: Pick<PageContext, 'environment'>): string {
  return environment === '' ? words : `${words} in ${environment}`;
}

const askOperator = html`<p class="notice">You have the viewer role, which is read-only: ask an operator to open this page.
  <button type="button" class="link small" data-copy-text="" hidden>Copy link</button></p>`;

type Field = { readonly name: string; readonly label: string; readonly value?: string | null | undefined };

type TextField = Field & {
  readonly hint?: string | undefined;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly isRequired?: boolean;
  /** The problem of the value. */
  readonly problem?: string | undefined;
};

/** A text field with its label and a hint. */
export function textField({
  name,
  label,
  value,
  hint,
  problem,
  isRequired = false,
  ...limits
}: TextField): Html {
  const { placeholder, maxLength } = limits;
  const input = html`<input type="text" name="${name}" value="${value}"${placeholder && html` placeholder="${placeholder}"`}${maxLength && html` maxlength="${maxLength}"`}${isRequired && html` required`}${problem && invalid(name)} autocomplete="off">`;
  return labelled({ name, label, problem, hint }, input);
}

/** The reason of an action, which the audit log records. */
export function reasonField(value?: string | null, problem?: string): Html {
  const terms = { hint: 'Recorded in the audit log.', isRequired: true, maxLength: 1000 };
  return textField({ name: 'reason', label: 'Reason', value, problem, ...terms });
}

/** A reason on the line of the buttons that it is for. */
export function reasonInput(words = 'Reason', isRequired = true): Html {
  return html`<input type="text" name="reason" maxlength="1000"${isRequired && html` required`} placeholder="${words}" aria-label="${words}" autocomplete="off">`;
}

/** The end of a hold or a pause. */
export function untilField(label: string, hint: string): Html {
  return textField({ name: 'until', label, hint, placeholder: '2h, or 2026-03-01T05:00Z' });
}

type Confirmation = {
  readonly action: string;
  /** The fields before the reason. */
  readonly content?: Content;
  readonly reason?: string | null | undefined;
  /** The words of the button; without them there is nothing to confirm. */
  readonly submit: string | false;
  readonly tone?: string;
  /** Where a user goes who does not confirm. */
  readonly cancel: string;
};

/** A form that asks for a reason, with the one button that does what its page says. */
export function confirmForm(
  context: Pick<PageContext, 'environment' | 'caller'>,
  { action, content, reason, submit, tone = 'primary', cancel }: Confirmation,
): Html {
  const buttons = html`<div class="actions"><button class="${tone}">${submit && inEnvironment(submit, context)}</button><a class="button" href="${cancel}">Cancel</a></div>`;
  return postForm(context, {
    action,
    className: 'side-form',
    content: html`${content}${reasonField(reason)}${submit && buttons}`,
  });
}

type TextArea = Omit<TextField, 'maxLength' | 'isRequired'> & { readonly rows: number };

/** A field for code or JSON of several lines with its label. */
export function textArea({ name, label, value, rows, problem, placeholder, hint }: TextArea): Html {
  const area = html`<textarea name="${name}" rows="${rows}" spellcheck="false" class="mono"${placeholder && html` placeholder="${placeholder}"`}${problem && invalid(name)}>\n${value}</textarea>`;
  return labelled({ name, label, problem, hint }, area);
}

function invalid(name: string): Html {
  return html` aria-invalid="true" aria-describedby="${name}-problem"`;
}

/** A control below its label, with what is wrong with its value and a hint. */
function labelled({ name, label, problem, hint }: Omit<TextField, 'value'>, control: Html): Html {
  return html`<label class="field"><span>${label}</span>${control}${problem && html`<span class="problem" id="${name}-problem">${problem}</span>`}${hint && html`<span class="hint">${hint}</span>`}</label>`;
}

/** Past periods to choose from: their ages in a filter, and their texts. */
export const periods = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const;

type SelectField = Field & {
  readonly options: readonly (readonly [value: string, text: string, ...unknown[]])[];
};

/** A list to choose one of, with its label. */
export function selectField({ name, label, value, options }: SelectField): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}">${options.map(
    ([option, text]) =>
      html`<option value="${option}"${option === value && html` selected`}>${text}</option>`,
  )}</select></label>`;
}

type RadioField = Field & {
  readonly options: readonly { readonly value: string; readonly text: Content; readonly more?: Content }[];
};

/** A choice of one of several, all of which are shown. */
export function radioField({ name, label, value, options }: RadioField): Html {
  return html`<fieldset class="choice"><legend>${label}</legend>${options.map(
    (option) =>
      html`<label><input type="radio" name="${name}" value="${option.value}"${option.value === value && html` checked`}><span><b>${option.text}</b>${option.more}</span></label>`,
  )}</fieldset>`;
}

/** A checkbox with its label. */
export function checkbox(name: string, label: string, isChecked: boolean): Html {
  return html`<label><input type="checkbox" name="${name}" value="on"${isChecked && html` checked`}> ${label}</label>`;
}

/** A field that the form sends but does not show. */
export function hiddenField(name: string, value: string | undefined): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** The number in a field. Other text is returned unchanged, for the validation to report. */
export function readNumber(text: string | null | undefined): number | string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

/** The JSON in a field. Throws an InputError that does not repeat it, as it may be a secret. */
export function readJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const remedy = `Must be JSON: ${findJsonProblem(text)}.`;
    throw new InputError([{ field, value: '(not shown)', remedy }]);
  }
}
