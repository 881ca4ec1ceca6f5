import { InputError } from '../../../shared/errors.ts';
import { callForWork } from '../../replay/runs/api/call-for-work.ts';
import { createRun } from '../../replay/runs/create-run.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { Page } from '../layout.ts';
import type { Done } from '../serve-page.ts';
import type { Visit } from '../visit.ts';
import { composeRequest, type Edit } from './compose-request.ts';
import { replayPage } from './new-run-page.ts';
import { choiceOf, readReplayForm } from './replay-form.ts';

/** `POST /runs`: makes the run that was previewed, or previews again where something else is asked for by now. */
export async function createRunByForm(deps: ConsoleDeps, visit: Visit): Promise<Done | Page> {
  const form = readReplayForm(visit.form);
  const edit = readEdit(visit.form.get('edit'));
  const isSeen = visit.form.get('seen') === choiceOf(form);
  if (visit.form.get('act') === 'preview' || !isSeen) return previewAgain(deps, visit, edit);
  const key = visit.form.get('key') ?? undefined;
  try {
    const request = composeRequest(form, { now: visit.now, dryRun: false, key, edit });
    const { run, isNew } = await createRun(deps, request, visit.caller.name);
    if (isNew) await callForWork(deps, run.id);
    return { to: `runs/${run.id}` };
  } catch (error) {
    if (error instanceof InputError)
      return replayPage(deps, visit, { form, problems: error.problems, ...(edit && { edit }) });
    throw error;
  }
}

/** An edit may be too long for an address; all else goes there, so that it can be shared. */
function previewAgain(deps: ConsoleDeps, visit: Visit, edit: Edit | undefined): Done | Promise<Page> {
  const { asOf: _, ...form } = readReplayForm(visit.form);
  if (edit) return replayPage(deps, visit, { form, edit });
  return { to: `runs/new?${new URLSearchParams(form)}` };
}

function readEdit(json: string | null): Edit | undefined {
  return json === null ? undefined : (JSON.parse(json) as Edit);
}
