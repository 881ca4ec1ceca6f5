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
  if (!caller.isOperator)
    return html`<p class="notice">You have the viewer role, which is read-only: ask an operator to open this page.</p>`;
  return html`<form method="post" action="${action}" class="${className}"${id && html` id="${id}"`}>
    ${content}
  </form>`;
}

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
  const attributes = html`${placeholder && html` placeholder="${placeholder}"`}${maxLength && html` maxlength="${maxLength}"`}${isRequired && html` required`}`;
  const control =
    rows === undefined
      ? html`<input type="text" name="${field.name}" value="${value}"${attributes}>`
      : html`<textarea name="${field.name}" rows="${rows}" spellcheck="false" class="mono"${attributes}>\n${value}</textarea>`;
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
