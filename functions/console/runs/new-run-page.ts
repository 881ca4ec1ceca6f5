import { randomUUID } from 'node:crypto';
import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { listTargetNames } from '../../../shared/delivery/routes.ts';
import { tryRequestWorker } from '../../../shared/delivery/worker-requests.ts';
import { InputError } from '../../../shared/errors.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import { type Preview, previewRun } from '../../../shared/replay/preview-run.ts';
import { EditSchema } from '../../../shared/replay/run-request.ts';
import {
  hiddenField,
  inEnvironment,
  postForm,
  reasonField,
  selectField,
  textField,
} from '../components/form.ts';
import { moment } from '../components/format.ts';
import { link, searchLink } from '../components/links.ts';
import { icon } from '../components/marks.ts';
import { readJson } from '../components/read-form.ts';
import { collapsible, columns, emptyState, pageHead } from '../components/section.ts';
import { editDiff } from '../edit/edits.ts';
import { type MaskedEvent, readVisibleEvent, unmaskingEnded } from '../events/visible-event.ts';
import { type Content, type Html, html } from '../html.ts';
import { listProblems } from '../layout.ts';
import { type ConsoleDeps, fieldsOf, type Page, type PageContext, type Redirect } from '../page.ts';
import { excludedSection, previewSections } from './preview.ts';
import {
  composeRequest,
  type Edit,
  paceChoice,
  type ReplayForm,
  readReplayForm,
  serializeSelection,
  startChoice,
} from './replay-form.ts';

/** `GET /runs/new?q=&...`: previews a replay. Changes nothing. */
export function newRunPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const fields = fieldsOf(context);
  return replayPage(deps, context, { form: readReplayForm(fields), edit: readEdit(fields.get('edit')) });
}

type ReplayInput = {
  readonly form: ReplayForm;
  /** Only for a replay of one event. */
  readonly edit?: Edit | undefined;
  /** The event of the edit, if it was read. */
  readonly event?: MaskedEvent | undefined;
};

/** The preview beside the form, or the problems of the form. */
export async function replayPage(deps: ConsoleDeps, context: PageContext, input: ReplayInput): Promise<Page> {
  const { form } = input;
  const { preview, problems } = await tryPreview(deps, context, input);
  const title = preview ? `Replay ${countOf(preview.selected, 'event')}` : 'Replay';
  const breadcrumbs = [['Events', searchLink(form.q ?? '')], [form.q || 'all']] as const;
  const event = await readEdited(deps, context, input);
  const start = html`${hiddenFields({ ...input, event }, context, preview)}
    ${preview && preview.selected > 0 && startButton(form, preview, context)}
    ${advancedInputs(form, listTargetNames(deps.routes))}
    <div class="actions"><button name="command" value="preview" formnovalidate>Preview again</button></div>`;
  const sections =
    preview?.selected === 0 ? nothingToReplay : preview && previewSections(preview, !!input.edit);
  const diff = event && (event.isMasked ? unmaskingEnded(event) : editDiff(event, input.edit ?? {}));
  const effect = html`${diff}${sections}${preview && excludedSection(preview)}`;
  const main = html`${pageHead(title, breadcrumbs, preview && describePeriod(preview))}
    ${problems && listProblems(problems)}
    ${columns(effect, postForm(context, { action: 'runs/new', content: start }))}`;
  return { title, main, status: problems ? 400 : event?.isMasked ? 403 : 200 };
}

async function readEdited(deps: ConsoleDeps, context: PageContext, { form, edit, event }: ReplayInput) {
  const eventId = edit && /^id:(\d+)(?= status:|$)/.exec(form.q ?? '')?.[1];
  return event ?? (eventId ? readVisibleEvent(deps, context, eventId) : undefined);
}

const nothingToReplay = emptyState(
  'Nothing to replay',
  html`<p>No matching event can be replayed. Delivered and discarded ones are selected by their status, such as <code>status:delivered</code>. Events without a route <a href="targets#without-a-route">need one</a> first.</p>`,
);

function startButton(form: ReplayForm, preview: Preview, context: PageContext): Html {
  const words = inEnvironment(`Replay ${countOf(preview.selected, 'event')}`, context);
  return html`${startChoice(form, preview)}${paceChoice(form, preview)}${reasonField(context)}
    <div class="actions"><button class="primary" name="command" value="create">${icon('replay')}${words}</button></div>`;
}

const patchField = {
  name: 'patch',
  label: 'JSON Patch',
  rows: 5,
  placeholder: '[{"op": "replace", "path": "/currency", "value": "EUR"}]',
  hint: 'Each event is sent patched (RFC 6902), as a new event in its place. Preview again to see the difference.',
} as const;

function advancedInputs(form: ReplayForm, targetNames: readonly string[]): Html {
  const { target, startAt, notAfter, patch } = form;
  const targets = [['', "each event's own"], ...targetNames.map((name) => [name, name] as const)] as const;
  const fields = html`<div class="side-form">
      ${textField({ name: 'startAt', label: 'Start at', value: startAt, placeholder: '2026-03-01T02:00:00Z', hint: 'Empty: now. The replay starts within five minutes after it.' })}
      ${textField({ name: 'notAfter', label: 'Not after', value: notAfter, placeholder: '2026-03-01T05:00:00Z', hint: 'What waits then is not sent.' })}
      ${selectField({ name: 'target', label: 'Target', value: target, options: targets })}
      ${collapsible('Patch all events', textField({ ...patchField, value: patch }), patch !== undefined)}</div>`;
  const isOpen = [target, patch, startAt, notAfter].some((value) => value !== undefined);
  return collapsible('Time, target and patch', fields, isOpen);
}

function describePeriod({ oldest, newest, selected }: Preview): Content {
  if (!oldest || !newest) return false;
  const period = selected === 1 ? moment(oldest) : html`from ${moment(oldest)} to ${moment(newest)}`;
  return html`<span class="muted">captured ${period}</span>`;
}

/** The preview of a form, or its problems. */
async function tryPreview(deps: ConsoleDeps, context: PageContext, { form, edit }: ReplayInput) {
  try {
    // Each pace has its own estimate, and a preview depends on no time.
    const { pace: _, startAt: __, notAfter: ___, ...selection } = form;
    const request = composeRequest(selection, { now: context.now, dryRun: true, edit });
    await guardProbes(deps, context.caller, request);
    return { preview: await previewRun(deps, request), problems: undefined };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { preview: undefined, problems: error.problems };
  }
}

/** Ties the run to the preview: its time, its selection, and an idempotency key. */
function hiddenFields(input: ReplayInput, context: PageContext, preview: Preview | undefined): Html {
  const { form, edit, event } = input;
  const fields = {
    selection: preview?.selection,
    q: form.q,
    asOf: form.asOf ?? context.now.toISOString(),
    previewed: serializeSelection(form),
    key: randomUUID(),
    ...(edit && { edit: JSON.stringify(edit), unmask: event?.unmaskId }),
  };
  return html`${Object.entries(fields).map(([name, value]) => hiddenField(name, value))}`;
}

/** `POST /runs/new`: creates the previewed run. Throws SelectionChangedError if others are selected by now. */
export async function createRunByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect | Page> {
  const { form: fields, caller, now } = context;
  const form = readReplayForm(fields);
  const edit = readEdit(fields.get('edit'));
  const isPreviewed = fields.get('previewed') === serializeSelection(form);
  if (fields.get('command') === 'preview' || !isPreviewed) {
    const { asOf: _, ...shared } = form;
    // The form goes into the address, which can be shared; an edit may be too long for one.
    return edit ? replayPage(deps, context, { form: shared, edit }) : { to: link('runs/new', shared) };
  }
  const [key, selection] = ['key', 'selection'].map((name) => fields.get(name) ?? undefined);
  const request = composeRequest(form, { now, dryRun: false, key, edit, selection });
  await guardProbes(deps, caller, request);
  const { run, isNew } = await createRun(deps, request, caller.name);
  if (isNew) await tryRequestWorker(deps.retry.continueTopic, run.id);
  return { to: `runs/${run.id}` };
}

function readEdit(json: string | null): Edit | undefined {
  if (json === null) return undefined;
  const edit = readJson('edit', json);
  validate(EditSchema, edit, 'edit');
  return edit as Edit;
}
