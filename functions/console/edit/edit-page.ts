import { InputError, type Problem } from '../../../shared/errors.ts';
import { type EventView, maxHeaderBytes } from '../../../shared/events/read-event.ts';
import { postForm, textArea } from '../components/form.ts';
import { formatBytes } from '../components/format.ts';
import { findJsonProblem } from '../components/json-problem.ts';
import { pageHead } from '../components/section.ts';
import { readUnmaskedEvent, unmaskIdOf } from '../events/visible-event.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { replayPage } from '../runs/new-run-page.ts';
import { type MessageText, restoreLineEndings, textOf } from './message-text.ts';

/** `GET /events/:id/edit`: a form to edit the payload and headers of one event for a replay. */
export async function editPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const event = await readEditable(deps, context);
  return showForm(context, event, { text: textOf(event).text, headers: printHeaders(event) });
}

type Texts = {
  readonly text: string;
  readonly headers: string;
  readonly problems?: readonly Problem[];
};

/** The form with its texts, each with its problem. */
function showForm(context: PageContext, event: EventView, { text, headers, problems = [] }: Texts): Page {
  const { isBase64 } = textOf(event);
  const problemOf = (name: string) => problems.find(({ field }) => field === name)?.remedy;
  const unmaskId = unmaskIdOf(context);
  const { id, eventType } = event;
  const main = html`${pageHead(`Edit and replay ${eventType}`, [
    ['Events', 'events'],
    [id, `events/${id}`],
  ])}
    <p class="muted">The edit is a new event in the place of this one, which is closed with a link to it. You see the difference before it is sent.</p>
    ${postForm(context, {
      action: `events/${event.id}/edit${unmaskId === undefined ? '' : `?unmask=${unmaskId}`}`,
      className: 'side-form',
      content: html`${textArea({ name: 'body', label: isBase64 ? 'Payload (base64, as it is not text)' : 'Payload', value: text, rows: 24, problem: problemOf('body') })}
        ${textArea({ name: 'headers', label: 'Headers, as JSON', value: headers, rows: 10, problem: problemOf('headers') })}
        <div class="actions"><button class="primary">Preview</button><a class="button" href="events/${event.id}">Cancel</a></div>`,
    })}`;
  return {
    title: `Edit event ${event.id}`,
    tab: 'events',
    main,
    ...(problems.length > 0 && { status: 400 }),
  };
}

/**
 * `POST /events/:id/edit {body, headers}`: previews the replay of the edited event, or shows the form with
 * its problems. Changes nothing.
 */
export async function previewEdit(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const event = await readEditable(deps, context);
  const sent = { text: context.form.get('body') ?? '', headers: context.form.get('headers') ?? '' };
  const body = readBody(sent.text, textOf(event));
  const problems = [
    ...(event.payloadEncoding === 'json' && typeof body === 'string' ? jsonProblem('body', body) : []),
    ...jsonProblem('headers', sent.headers),
  ];
  if (problems.length > 0) return showForm(context, event, { ...sent, problems });
  const headers = readHeaders(sent.headers, event);
  const edit = { ...(body !== undefined && { body }), ...(headers !== undefined && { headers }) };
  if (Object.keys(edit).length === 0) {
    const remedy = 'The message is unchanged: edit the payload or the headers.';
    return showForm(context, event, { ...sent, problems: [{ field: 'body', value: '(unchanged)', remedy }] });
  }
  const form = {
    q: `id:${event.id}`,
    ...(event.status === 'SUCCEEDED' && { includeSucceeded: 'on' }),
    ...(event.status === 'DISCARDED' && { includeDiscarded: 'on' }),
  };
  return replayPage(deps, context, { form, edit });
}

async function readEditable(deps: ConsoleDeps, context: PageContext): Promise<EventView> {
  const event = await readUnmaskedEvent(deps, context, context.params.id ?? '');
  if (event.headerBytes > maxHeaderBytes) {
    const remedy = `Headers of ${formatBytes(event.headerBytes)} are too large for a form: use the replay API.`;
    throw new InputError([{ field: 'headers', value: '(not shown)', remedy }]);
  }
  if (event.bytes <= (event.body?.length ?? event.bytes)) return event;
  const remedy = `A payload of ${formatBytes(event.bytes)} is too large for a form: use the replay API.`;
  throw new InputError([{ field: 'body', value: '(not shown)', remedy }]);
}

/** The edited body; undefined if it is unchanged. */
function readBody(sent: string, { text, isBase64 }: MessageText): string | { base64: string } | undefined {
  const restored = restoreLineEndings(sent, text);
  if (restored === text) return undefined;
  return isBase64 ? { base64: restored.replaceAll(/\s/g, '') } : restored;
}

function readHeaders(sent: string, event: EventView): unknown {
  if (restoreLineEndings(sent, '') === printHeaders(event)) return undefined;
  return JSON.parse(sent);
}

/** Does not repeat the text, as it may be a secret. */
function jsonProblem(field: string, text: string): Problem[] {
  const problem = findJsonProblem(text);
  return problem === undefined ? [] : [{ field, value: '(not shown)', remedy: `Must be JSON: ${problem}.` }];
}

function printHeaders({ headers }: Pick<EventView, 'headers'>): string {
  return JSON.stringify(headers, null, 2);
}
