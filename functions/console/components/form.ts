import { printParseErrorCode } from 'jsonc-parser';
import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import { InputError, type Problem } from '../../../shared/errors.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import { findJsonError } from '../../../shared/json/find-json-error.ts';
import { UntilSchema } from '../../../shared/time-text.ts';
import { type Content, type Html, html } from '../html.ts';
import { fieldsOf, type PageContext } from '../page.ts';

type Form = {
  readonly action: string;
  readonly className?: string;
  readonly id?: string;
  readonly content: Content;
};

/** A form that changes something; for viewers, whom to ask. */
export function postForm({ caller }: Pick<PageContext, 'caller'>, form: Form): Html {
  const { action, className = 'side-form', id, content } = form;
  if (!caller.isOperator) return askOperator;
  return html`<form method="post" action="${action}" class="${className}"${id && html` id="${id}"`}>
    ${content}
  </form>`;
}

const askOperator = html`<p class="notice">You have the viewer role, which is read-only: ask an operator to open this page.</p>`;

/** The words of a button that changes much, with the environment: `Replay 488 events in production`. */
export function inEnvironment(words: string, { environment }: Pick<PageContext, 'environment'>): string {
  return environment === '' ? words : `${words} in ${environment}`;
}

type Field = {
  readonly name: string;
  readonly label: string;
  readonly value?: string | null | undefined;
  readonly hint?: string | undefined;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly isRequired?: boolean;
  /** The number of lines of a field for code or JSON. */
  readonly rows?: number;
};

/** A field for text, or for code of several lines. */
export function textField({ value, placeholder, maxLength, isRequired, rows, ...field }: Field): Html {
  const { name } = field;
  const attributes = html`${placeholder && html` placeholder="${placeholder}"`}${maxLength && html` maxlength="${maxLength}"`}${isRequired && html` required`}`;
  const control =
    rows === undefined
      ? html`<input type="text" name="${name}" value="${value}"${attributes} autocomplete="off">`
      : html`<textarea name="${name}" rows="${rows}" spellcheck="false" class="mono"${attributes}>\n${value}</textarea>`;
  return labelled(field, control);
}

/** The field of a search, which the key / selects. */
export function searchInput(what: string, { value, placeholder }: Partial<Field>): Html {
  return html`<span class="search"><input type="search" name="q" value="${value}" data-search aria-label="Search ${what}" placeholder="${placeholder}" autocomplete="off" spellcheck="false"></span>`;
}

/** The reason of an action, which the audit log records. */
export function reasonField(context: Pick<PageContext, 'form' | 'query'>): Html {
  const [label, value] = ['Reason, for the audit log', fieldsOf(context).get('reason')];
  return textField({ name: 'reason', label, value, isRequired: true, maxLength: 1000 });
}

/** The reason of an action that needs none. */
export const optionalReason = textField({ name: 'reason', label: 'Reason (optional)', maxLength: 1000 });

/** The end of a hold or a pause. */
export function untilField(label: string, { form }: Pick<PageContext, 'form'>): Html {
  return textField({
    name: 'until',
    label,
    value: form.get('until'),
    placeholder: '2h, 08:00, or 2027-03-01T05:00Z',
  });
}

type Confirmation = {
  readonly action: string;
  /** The fields before the reason. */
  readonly content?: Content;
  /** The words of the button; without them there is nothing to confirm. */
  readonly submit: string | false;
  readonly tone?: string;
  /** Where a user goes who does not confirm. */
  readonly cancel: string;
};

/** A form that asks for a reason, with the one button that does what its page says. */
export function confirmForm(context: PageContext, confirmation: Confirmation): Html | false {
  const { action, content, submit, tone = 'primary', cancel } = confirmation;
  if (!submit) return false;
  const buttons = html`<div class="actions"><button class="${tone}">${inEnvironment(submit, context)}</button><a class="button" href="${cancel}">Cancel</a></div>`;
  return postForm(context, {
    action,
    content: html`${content}${reasonField(context)}${buttons}`,
  });
}

function labelled({ label, hint }: Pick<Field, 'label' | 'hint'>, control: Html): Html {
  return html`<label class="field"><span>${label}</span>${control}${hint && html`<span class="hint">${hint}</span>`}</label>`;
}

type Options<Option> = Pick<Field, 'name' | 'label' | 'value'> & { readonly options: readonly Option[] };

/** A list to choose one of, with its label. */
export function selectField({ value, options, ...field }: Options<readonly [value: string, text: string]>) {
  const list = options.map(
    ([option, text]) =>
      html`<option value="${option}"${option === value && html` selected`}>${text}</option>`,
  );
  return labelled(field, html`<select name="${field.name}">${list}</select>`);
}

type Choice = { readonly value: string; readonly text: Content; readonly more?: Content };

/** A choice of one of several, all of which are shown. */
export function radioField({ name, label, value, options }: Options<Choice>): Html {
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

const ReasonSchema = v.object({ reason: reasonEntry, until: UntilSchema });

/** The reason in a form, and the end of a hold or a pause. Throws an InputError. */
export function readReason(form: URLSearchParams) {
  return validate(ReasonSchema, { reason: form.get('reason') ?? '', until: form.get('until') ?? '' });
}

/** The command of the button that sent a form. Throws an InputError. */
export function readCommand<Name extends string>(form: URLSearchParams, names: readonly Name[]): Name {
  return validate(v.picklist(names, `Use one of ${names.join(', ')}.`), form.get('command') ?? '', 'command');
}

/** The number in a field. Other text is returned unchanged, for the validation to report. */
export function readNumber(text: string | undefined): number | string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

/** Parses the JSON in a field. Throws an InputError. */
export function readJson(field: string, text: string): unknown {
  const problems = listJsonProblems(field, text);
  if (problems.length > 0) throw new InputError(problems);
  return JSON.parse(text);
}

/** Where the text of a field stops being JSON. Does not repeat the text, as it may be a secret. */
export function listJsonProblems(field: string, text: string): Problem[] {
  try {
    JSON.parse(text);
    return [];
  } catch {
    return [{ field, value: '(not shown)', remedy: `Must be JSON: ${locate(text)}.` }];
  }
}

/** `line 1, column 7: value expected`. */
function locate(text: string): string {
  const first = findJsonError(text);
  if (!first) return 'this is not JSON';
  const before = text.slice(0, first.offset).split(/\r\n|\r|\n/);
  const words = printParseErrorCode(first.code)
    .replace(/(?!^)([A-Z])/g, ' $1')
    .toLowerCase();
  const problem = words.replace('end of file expected', 'nothing expected after the end of the value');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${problem}`;
}
