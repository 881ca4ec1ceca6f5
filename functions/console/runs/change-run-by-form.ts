import { InputError } from '../../../shared/errors.ts';
import { callForWork } from '../../replay/runs/api/call-for-work.ts';
import { changeRun, changes } from '../../replay/runs/change-run.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { Done } from '../serve-page.ts';
import type { Visit } from '../visit.ts';

const words = {
  pause: 'is paused',
  resume: 'goes on',
  cancel: 'is cancelled: what waits stays as it is',
} as const;

/** `POST /runs/:id {act, reason}`: pauses, resumes or cancels a run. */
export async function changeRunByForm(deps: ConsoleDeps, { params, form, caller }: Visit): Promise<Done> {
  const change = changes.find((each) => each === form.get('act'));
  if (!change)
    throw new InputError([
      { field: 'act', value: form.get('act'), remedy: `Use one of ${changes.join(', ')}.` },
    ]);
  const id = /^[1-9]\d{0,17}$/.exec(params.id ?? '')?.[0] ?? '0';
  const reason = form.get('reason')?.trim().slice(0, 1000) || null;
  await changeRun(deps.db, change, { runId: id, actor: caller.name, reason });
  if (change === 'resume') await callForWork(deps, id);
  return { to: `runs/${id}`, notice: `Run ${id} ${words[change]}.` };
}
