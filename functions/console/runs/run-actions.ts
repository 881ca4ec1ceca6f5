import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { InputError } from '../../../shared/errors.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { changeRun, changes } from '../../../shared/replay/run.ts';
import { postForm, reasonInput } from '../components/form.ts';
import { icon } from '../components/icon.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import type { ShownRun } from './run-facts.ts';

/** Pause or resume, and cancel; each takes effect within a batch. */
export function runActions(run: ShownRun, context: PageContext): Html {
  const change =
    run.state === 'paused'
      ? html`<button name="command" value="resume">${icon('running')}Resume</button>`
      : html`<button name="command" value="pause">${icon('paused')}Pause</button>`;
  return postForm(context, {
    action: `runs/${run.id}`,
    className: 'actions run-actions',
    content: html`${reasonInput('Reason (optional)', false)}
      ${change}<button name="command" value="cancel" class="danger">Cancel run</button>`,
  });
}

const results = {
  pause: 'was paused',
  resume: 'was resumed',
  cancel: 'was cancelled: the events that waited were not sent',
} as const;

/** `POST /runs/:id {command, reason}`: pauses, resumes or cancels a run. */
export async function changeRunByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const command = form.get('command');
  const change = changes.find((each) => each === command);
  if (!change)
    throw new InputError([{ field: 'command', value: command, remedy: `Use one of ${changes.join(', ')}.` }]);
  const id = runIdOf(context);
  const reason = form.get('reason')?.trim().slice(0, 1000) || null;
  await changeRun(deps.db, change, { runId: id, actor: caller.name, reason });
  if (change === 'resume') await tryRequestWorker(deps, id);
  return { to: `runs/${id}`, notice: `Run ${id} ${results[change]}.` };
}

/** The id of a run in the address; `0`, which no run has, for anything else. */
export function runIdOf({ params }: PageContext): string {
  return readId(params.id) ?? '0';
}
