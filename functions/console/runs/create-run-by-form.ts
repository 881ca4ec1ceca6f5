import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { InputError } from '../../../shared/errors.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { composeRequest, type Edit } from './compose-request.ts';
import { replayPage } from './new-run-page.ts';
import { readReplayForm, serializeSelection } from './replay-form.ts';

/** `POST /runs`: creates the previewed run, or previews again if the selection of events has changed since. */
export async function createRunByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect | Page> {
  const form = readReplayForm(context.form);
  const edit = readEdit(context.form.get('edit'));
  const isPreviewed = context.form.get('previewed') === serializeSelection(form);
  if (context.form.get('command') === 'preview' || !isPreviewed) return previewAgain(deps, context, edit);
  const key = context.form.get('key') ?? undefined;
  try {
    const request = composeRequest(form, { now: context.now, dryRun: false, key, edit });
    const { run, isNew } = await createRun(deps, request, context.caller.name);
    if (isNew) await tryRequestWorker(deps, run.id);
    return { to: `runs/${run.id}` };
  } catch (error) {
    if (error instanceof InputError)
      return replayPage(deps, context, { form, problems: error.problems, ...(edit && { edit }) });
    throw error;
  }
}

/** The form goes into the address, which can be shared; an edit may be too long for one. */
function previewAgain(
  deps: ConsoleDeps,
  context: PageContext,
  edit: Edit | undefined,
): Redirect | Promise<Page> {
  const { asOf: _, ...form } = readReplayForm(context.form);
  if (edit) return replayPage(deps, context, { form, edit });
  return { to: `runs/new?${new URLSearchParams(form)}` };
}

function readEdit(json: string | null): Edit | undefined {
  return json === null ? undefined : (JSON.parse(json) as Edit);
}
