import { type Html, html } from '../html.ts';
import type { PageContext } from '../page-context.ts';
import { postForm } from './post-form.ts';

type ReasonForm = {
  readonly action: string;
  readonly question: string;
  readonly submit: string;
  readonly hint: string;
};

/** A one-line form for an action that requires a reason. */
export function reasonForm(
  context: Pick<PageContext, 'csrf'>,
  { action, question, submit, hint }: ReasonForm,
): Html {
  return postForm(context, {
    action,
    className: 'actions',
    content: html`<input type="text" name="reason" required maxlength="1000" placeholder="${question}" aria-label="${question}" autocomplete="off">
      <button>${submit}</button><span class="hint">${hint}</span>`,
  });
}
