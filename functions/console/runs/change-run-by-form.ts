import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { InputError } from '../../../shared/errors.ts';
import { changeRun, changes } from '../../../shared/replay/change-run.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

const results = {
  pause: 'was paused',
  resume: 'was resumed',
  cancel: 'was cancelled: its waiting events stay unchanged',
} as const;

/** `POST /runs/:id {command, reason}`: pauses, resumes or cancels a run. */
export async function changeRunByForm(
  deps: ConsoleDeps,
  { params, form, caller }: PageContext,
): Promise<Redirect> {
  const change = changes.find((each) => each === form.get('command'));
  if (!change)
    throw new InputError([
      { field: 'command', value: form.get('command'), remedy: `Use one of ${changes.join(', ')}.` },
    ]);
  const id = /^[1-9]\d{0,17}$/.exec(params.id ?? '')?.[0] ?? '0';
  const reason = form.get('reason')?.trim().slice(0, 1000) || null;
  await changeRun(deps.db, change, { runId: id, actor: caller.name, reason });
  if (change === 'resume') await tryRequestWorker(deps, id);
  return { to: `runs/${id}`, notice: `Run ${id} ${results[change]}.` };
}
