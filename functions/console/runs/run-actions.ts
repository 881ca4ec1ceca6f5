import { postForm } from '../components/form.ts';
import { icon } from '../components/icon.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';
import type { ShownRun } from './run-facts.ts';

/** Pause or resume, and cancel; each takes effect within a batch. */
export function runActions(run: ShownRun, context: PageContext): Html {
  const [action, words, shape] =
    run.state === 'paused'
      ? (['resume', 'Resume', 'running'] as const)
      : (['pause', 'Pause', 'paused'] as const);
  return postForm(context, {
    action: `runs/${run.id}`,
    className: 'actions run-actions',
    content: html`<input type="text" name="reason" maxlength="1000" placeholder="Reason (optional)" aria-label="Reason">
      <button name="command" value="${action}">${icon(shape)}${words}</button>
      <button name="command" value="cancel" class="danger">Cancel run</button>`,
  });
}
