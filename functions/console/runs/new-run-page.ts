import { randomUUID } from 'node:crypto';
import { InputError, type Problem } from '../../../shared/errors.ts';
import { nameTarget } from '../../../shared/routes.ts';
import { type Preview, previewRun } from '../../replay/runs/preview-run.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { editDiff } from '../edit/edit-diff.ts';
import { listProblems } from '../error-page.ts';
import { revealOf } from '../events/reveal.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { icon } from '../parts/icon.ts';
import { countOf } from '../parts/number.ts';
import { postForm } from '../parts/post-form.ts';
import { moment } from '../parts/time.ts';
import type { Visit } from '../visit.ts';
import { composeRequest, type Edit } from './compose-request.ts';
import { patchedSamples } from './patched-samples.ts';
import { leftOut, previewSections } from './preview.ts';
import { choiceOf, type ReplayForm, readReplayForm, replayInputs } from './replay-form.ts';

/** `GET /runs/new?q=&...`: what a replay of these events would do. Changes nothing. */
export function newRunPage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  return replayPage(deps, visit, { form: readReplayForm(visit.query) });
}

type Asked = {
  readonly form: ReplayForm;
  readonly problems?: readonly Problem[];
  /** Of one event. */
  readonly edit?: Edit;
};

/** The preview with the form; with what is wrong with the form, where something is. */
export async function replayPage(deps: ConsoleDeps, visit: Visit, asked: Asked): Promise<Page> {
  const { form, edit } = asked;
  const { preview, problems } = await tryPreview(deps, visit, asked);
  const editedId = edit && /^id:(\d+)$/.exec(form.q ?? '')?.[1];
  const selected = preview?.selected ?? 0;
  const targets = [...new Set(deps.routes.map(({ target }) => nameTarget(target)))];
  const title = preview ? `Replay ${countOf(selected, 'event')}` : 'Replay';
  const main = html`<div class="head"><p class="crumb"><a href="${searchLink(form.q ?? '')}">Events</a> / ${form.q || 'all'}</p><h1>${title}</h1>
      ${preview?.oldest && preview.newest && html`<span class="muted">captured from ${moment(preview.oldest)} to ${moment(preview.newest)}</span>`}</div>
    ${problems && listProblems(problems)}
    <div class="columns">
      <div>${editedId && (await editDiff(deps, visit, { eventId: editedId, edit }))}${preview && !edit && patchedSamples(preview)}${preview && (selected > 0 ? previewSections(preview) : nothingToReplay)}</div>
      <div>${preview && leftOut(preview)}
        ${postForm(visit, {
          action: 'runs',
          className: 'side-form',
          content: html`${hiddenFields(form, visit, edit)}${replayInputs(form, targets)}
            <div class="acts">
              ${selected > 0 && html`<button class="primary" name="act" value="create">${icon('replay')}${title}</button>`}
              <button name="act" value="preview" formnovalidate>Preview again</button>
            </div>`,
        })}</div>
    </div>`;
  return { title, tab: 'runs', main, ...(problems && { status: 400 }) };
}

async function tryPreview(
  deps: ConsoleDeps,
  { now }: Visit,
  { form, edit, problems }: Asked,
): Promise<{ preview?: Preview; problems?: readonly Problem[] }> {
  try {
    const preview = await previewRun(deps, composeRequest(form, { now, dryRun: true, edit }));
    return { preview, ...(problems && { problems }) };
  } catch (error) {
    if (error instanceof InputError) return { problems: error.problems };
    throw error;
  }
}

/** What makes the run exactly what was looked at: the moment, the choice, and a key that makes it only once. */
function hiddenFields(form: ReplayForm, visit: Visit, edit: Edit | undefined): Html {
  const hidden = (name: string, value: string | undefined) =>
    html`<input type="hidden" name="${name}" value="${value}">`;
  return html`${hidden('q', form.q)}${hidden('asOf', visit.now.toISOString())}${hidden('seen', choiceOf(form))}${hidden('key', randomUUID())}
    ${edit && html`${hidden('edit', JSON.stringify(edit))}${hidden('reveal', revealOf(visit))}`}`;
}

const nothingToReplay = html`<div class="empty"><h2>Nothing to replay</h2><p>No event matches that may be replayed as it stands.
  What is left out, and why, is said beside the form.</p></div>`;
