import { randomUUID } from 'node:crypto';
import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { type Problem, SelectionChangedError } from '../../../shared/errors.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import { EditSchema } from '../../../shared/replay/edit-schema.ts';
import { type Preview, previewRun } from '../../../shared/replay/preview-run.ts';
import { countList } from '../components/facts.ts';
import { hiddenField, inEnvironment, postForm, readJson, reasonField } from '../components/form.ts';
import { moment } from '../components/format.ts';
import { icon } from '../components/icon.ts';
import { pageHead, section } from '../components/section.ts';
import { editDiff } from '../edit/show-diff.ts';
import { listProblems, problemsOf } from '../error-page.ts';
import { searchLink } from '../events/search.ts';
import { unmaskIdOf } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { advancedInputs } from './advanced-inputs.ts';
import { composeRequest, type Edit, placeProblems } from './compose-request.ts';
import { paceChoice, startChoice } from './pace.ts';
import {
  excludedSection,
  exclusionReasons,
  patchedSamples,
  previewNumbers,
  previewSections,
} from './preview.ts';
import { type ReplayForm, readReplayForm, serializeSelection } from './replay-form.ts';

/** `GET /runs/new?q=&...`: previews a replay. Changes nothing. */
export function newRunPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  return replayPage(deps, context, { form: readReplayForm(context.query) });
}

type ReplayInput = {
  readonly form: ReplayForm;
  readonly problems?: readonly Problem[] | undefined;
  /** The number of events of a preview before, if others match now. */
  readonly previewed?: number | undefined;
  /** Only for a replay of one event. */
  readonly edit?: Edit | undefined;
};

/** The preview beside the form, or the problems of the form. */
export async function replayPage(deps: ConsoleDeps, context: PageContext, input: ReplayInput): Promise<Page> {
  const { form, edit } = input;
  const { preview, problems } = await tryPreview(deps, context, input);
  const { atFields, others } = placeProblems(problems ?? []);
  const editedId = edit && /^id:(\d+)$/.exec(form.q ?? '')?.[1];
  const title = preview ? `Replay ${countOf(preview.selected, 'event')}` : 'Replay';
  const main = html`${pageHead(title, [['Events', searchLink(form.q ?? '')], [form.q || 'all']], preview && describePeriod(preview))}
    ${others.length > 0 && listProblems(others)}${describeChange(input, preview)}
    <div class="columns">
      <div>${editedId && (await editDiff(deps, context, { eventId: editedId, edit }))}${preview && html`${showEffect(preview, edit !== undefined, context.now)}${excludedSection(preview)}`}</div>
      <div>${sideForm(deps, context, { input, preview, problems: atFields })}</div>
    </div>`;
  const status = problems ? 400 : input.previewed === undefined ? undefined : 409;
  return { title, tab: 'runs', main, ...(status && { status }) };
}

type SideForm = {
  readonly input: ReplayInput;
  readonly preview: Preview | undefined;
  readonly problems: Readonly<Record<string, string>>;
};

/** Pace, reason and the one button that starts the replay; all else is folded. */
function sideForm(
  { routes }: ConsoleDeps,
  context: PageContext,
  { input, preview, problems }: SideForm,
): Html {
  const { form } = input;
  const targetNames = [...new Set(routes.map(({ target }) => nameTarget(target)))];
  const selected = preview?.selected ?? 0;
  const words = inEnvironment(`Replay ${countOf(selected, 'event')}`, context);
  return postForm(context, {
    action: 'runs',
    className: 'side-form',
    content: html`${hiddenFields(input, context, preview)}
      ${preview && selected > 0 && html`${startChoice(form, preview)}${paceChoice(form, preview)}`}
      ${selected > 0 && html`${reasonField(form.reason, problems.reason)}<div class="actions"><button class="primary" name="command" value="create">${icon('replay')}${words}</button></div>`}
      ${advancedInputs(form, { targetNames, problems })}
      <div class="actions"><button name="command" value="preview" formnovalidate>Preview again</button></div>`,
  });
}

/** What changed since the preview before: nothing was started. */
function describeChange({ previewed }: ReplayInput, preview: Preview | undefined): Html | false {
  if (previewed === undefined || !preview) return false;
  const { selected, excluded } = preview;
  const now = selected === previewed ? 'as many, but others' : countOf(selected, 'event');
  const out = excluded.map(({ events, reason }) => `${countOf(events, 'event')} ${exclusionReasons[reason]}`);
  return html`<p class="warning" role="status"><b>The selection has changed.</b> The preview had ${countOf(previewed, 'event')}, now it has ${now}.${out.length > 0 && ` Excluded: ${out.join(', ')}.`} Nothing was started.</p>`;
}

/** When the selected events were captured. */
function describePeriod({ oldest, newest, selected }: Preview): Html | false {
  if (!oldest || !newest) return false;
  const period = selected === 1 ? moment(oldest) : html`from ${moment(oldest)} to ${moment(newest)}`;
  return html`<span class="muted">captured ${period}</span>`;
}

/** The effect of the replay on the selected events, and of its patch on their messages. */
function showEffect(preview: Preview, isEdit: boolean, now: Date): Html {
  if (preview.selected === 0) return nothingToReplay;
  const patched = !isEdit && html`${fitSection(preview)}${patchedSamples(preview)}`;
  return html`${previewNumbers(preview)}${patched}${previewSections(preview, now)}`;
}

async function tryPreview(
  deps: ConsoleDeps,
  context: PageContext,
  { form, edit, problems }: ReplayInput,
): Promise<{ readonly preview?: Preview; readonly problems?: readonly Problem[] | undefined }> {
  const { caller, now } = context;
  try {
    // A preview depends on neither.
    const { startAt: _, notAfter: __, ...selection } = form;
    const request = composeRequest(selection, { now, dryRun: true, edit });
    await guardProbes(deps, caller, request);
    // Each pace has its own estimate.
    const { ratePerSecond: ___, ...rollout } = request.rollout;
    return { preview: await previewRun(deps, { ...request, rollout }), problems };
  } catch (error) {
    return { problems: problemsOf(error) };
  }
}

/**
 * Ties the run to the preview: its time, its selection with its number, and an idempotency key that creates
 * it at most once.
 */
function hiddenFields({ form, edit }: ReplayInput, context: PageContext, preview: Preview | undefined): Html {
  return html`${hiddenField('selection', preview?.selection)}${hiddenField('q', form.q)}${hiddenField('asOf', context.now.toISOString())}${hiddenField('previewed', serializeSelection(form))}${hiddenField('key', randomUUID())}
    ${edit && html`${hiddenField('edit', JSON.stringify(edit))}${hiddenField('unmask', unmaskIdOf(context))}`}`;
}

const nothingToReplay = html`<div class="empty"><h2>Nothing to replay</h2><p>No matching event can be replayed with this selection.</p></div>`;

/**
 * `POST /runs`: creates the previewed run, or previews again if the selection of events has changed since.
 */
export async function createRunByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect | Page> {
  const { form: fields, caller, now } = context;
  const command = fields.get('command') ?? '';
  const form = readReplayForm(fields);
  const edit = readEdit(fields.get('edit'));
  const isPreviewed = fields.get('previewed') === serializeSelection(form);
  if (command === 'preview' || !isPreviewed) return previewAgain(deps, context, { form, edit });
  try {
    const key = fields.get('key') ?? undefined;
    const selection = fields.get('selection') ?? undefined;
    const request = composeRequest(form, { now, dryRun: false, key, edit, selection });
    await guardProbes(deps, caller, request);
    const { run, isNew } = await createRun(deps, request, caller.name);
    if (isNew) await tryRequestWorker(deps, run.id);
    return { to: `runs/${run.id}` };
  } catch (error) {
    if (error instanceof SelectionChangedError)
      return replayPage(deps, context, { form, edit, previewed: error.previewed });
    return replayPage(deps, context, { form, edit, problems: problemsOf(error) });
  }
}

/** The form goes into the address, which can be shared; an edit may be too long for one. */
function previewAgain(deps: ConsoleDeps, context: PageContext, { form, edit }: ReplayInput) {
  const { asOf: _, ...shared } = form;
  if (edit) return replayPage(deps, context, { form: shared, edit });
  return { to: `runs/new?${new URLSearchParams(shared)}` };
}

/** Throws InputError. */
function readEdit(json: string | null): Edit | undefined {
  if (json === null) return undefined;
  const edit = readJson('edit', json);
  validate(EditSchema, edit, 'edit');
  return edit as Edit;
}

/** How many of the selected events a patch fits, does not fit, or was not tried on. */
function fitSection({ fit }: Preview): Html | false {
  if (fit === null) return false;
  const { fits, doesNotFit, unknown, reasons } = fit;
  const rest = unknown > 0 ? [['Unknown: not checked', unknown] as const] : [];
  const lines = reasons.map(
    ({ reason, events, ids }) =>
      html`<p class="warning">${countOf(events, 'event')}: ${reason} <a href="${searchLink(`id:${ids.join(',')}`)}">Show ${ids.length < events ? `the first ${ids.length}` : 'them'}</a></p>`,
  );
  return section(
    'Patch',
    html`${countList([['Fits', fits], ['Does not fit: will be skipped', doesNotFit], ...rest])}${lines}`,
  );
}
