import { type Html, html } from '../html.ts';
import { icon } from '../parts/icon.ts';
import { postForm } from '../parts/post-form.ts';
import type { Visit } from '../visit.ts';
import type { ShownRun } from './run-state.ts';

/** Pause or resume, and cancel; each is obeyed within a batch. */
export function runActs(run: ShownRun, visit: Visit): Html {
  const [act, words, shape] =
    run.state === 'paused'
      ? (['resume', 'Resume', 'running'] as const)
      : (['pause', 'Pause', 'paused'] as const);
  return postForm(visit, {
    action: `runs/${run.id}`,
    className: 'acts run-acts',
    content: html`<input type="text" name="reason" maxlength="1000" placeholder="Why (optional)" aria-label="Why">
      <button name="act" value="${act}">${icon(shape)}${words}</button>
      <button name="act" value="cancel" class="danger">Cancel the rest</button>`,
  });
}
