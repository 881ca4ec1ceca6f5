import { InputError, type Problem } from '../../../shared/errors.ts';
import { type EventView, maxHeaderBytes } from '../../../shared/events/read-event.ts';
import { listJsonProblems, postForm, textField } from '../components/form.ts';
import { formatBytes } from '../components/format.ts';
import { pageHead } from '../components/section.ts';
import { readUnmaskedEvent, selectEvent, unmaskIdOf } from '../events/visible-event.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { replayPage } from '../runs/new-run-page.ts';
import { restoreLineEndings, textOf } from './edits.ts';

/** `GET /events/:id/edit`: a form to edit the payload and headers of one event for a replay. */
export async function editPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const event = await readEditable(deps, context);
  return showForm(context, event, { text: textOf(event).text, headers: printHeaders(event) });
}

type Texts = { readonly text: string; readonly headers: string; readonly problems?: readonly Problem[] };

function showForm(context: PageContext, event: EventView, { text, headers, problems = [] }: Texts): Page {
  const { id, eventType } = event;
  const problemOf = (name: string) => problems.find(({ field }) => field === name)?.remedy;
  const unmaskId = unmaskIdOf(context);
  const label = textOf(event).isBase64 ? 'Payload (base64, as it is not text)' : 'Payload';
  const breadcrumbs = [['Events', 'events'] as const, [id, `events/${id}`] as const];
  const content = html`${textField({ name: 'body', label, value: text, rows: 24, problem: problemOf('body') })}
    ${textField({ name: 'headers', label: 'Headers, as JSON', value: headers, rows: 10, problem: problemOf('headers') })}
    <div class="actions"><button class="primary">Preview</button><a class="button" href="events/${id}">Cancel</a></div>`;
  const main = html`${pageHead(`Edit and replay ${eventType}`, breadcrumbs)}
    <p class="muted">The edit is a new event in the place of this one, which is closed with a link to it. You see the difference before it is sent.</p>
    ${postForm(context, { action: `events/${id}/edit${unmaskId ? `?unmask=${unmaskId}` : ''}`, content })}`;
  const status = problems.length > 0 ? 400 : undefined;
  return { title: `Edit event ${id}`, main, status };
}

/** `POST /events/:id/edit {body, headers}`: previews the replay of the edit, or shows its problems. */
export async function previewEdit(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const event = await readEditable(deps, context);
  const sent = { text: context.form.get('body') ?? '', headers: context.form.get('headers') ?? '' };
  const { text, isBase64 } = textOf(event);
  const restored = restoreLineEndings(sent.text, text);
  const problems = [
    ...(event.payloadEncoding === 'json' && restored !== text && !isBase64
      ? listJsonProblems('body', restored)
      : []),
    ...listJsonProblems('headers', sent.headers),
  ];
  if (problems.length > 0) return showForm(context, event, { ...sent, problems });
  const hasHeaders = restoreLineEndings(sent.headers, '') !== printHeaders(event);
  if (restored === text && !hasHeaders) {
    const remedy = 'The message is unchanged: edit the payload or the headers.';
    return showForm(context, event, { ...sent, problems: [{ field: 'body', value: '(unchanged)', remedy }] });
  }
  const body = isBase64 ? { base64: restored.replaceAll(/\s/g, '') } : restored;
  const edit = {
    ...(restored !== text && { body }),
    ...(hasHeaders && { headers: JSON.parse(sent.headers) }),
  };
  return replayPage(deps, context, { form: { q: selectEvent(event) }, edit, event });
}

async function readEditable(deps: ConsoleDeps, context: PageContext): Promise<EventView> {
  const event = await readUnmaskedEvent(deps, context, context.params.id ?? '');
  const tooLarge = (field: string, what: string, bytes: number) => {
    const remedy = `${what} of ${formatBytes(bytes)} are too large for a form: use the replay API.`;
    return new InputError([{ field, value: '(not shown)', remedy }]);
  };
  if (event.headerBytes > maxHeaderBytes) throw tooLarge('headers', 'Headers', event.headerBytes);
  if (event.bytes > event.body.length) throw tooLarge('body', 'Payloads', event.bytes);
  return event;
}

function printHeaders({ headers }: Pick<EventView, 'headers'>): string {
  return JSON.stringify(headers, null, 2);
}
