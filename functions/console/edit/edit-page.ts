import { ForbiddenError, InputError } from '../../../shared/errors.ts';
import { type EventView, maxHeaderBytes } from '../../../shared/events/read-event.ts';
import { postForm, textField } from '../components/form.ts';
import { formatBytes } from '../components/format.ts';
import { link } from '../components/links.ts';
import { listJsonProblems } from '../components/read-form.ts';
import { pageHead } from '../components/section.ts';
import { type MaskedEvent, readVisibleEvent, selectEvent, unmaskingEnded } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import { listProblems } from '../layout.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { replayPage } from '../runs/new-run-page.ts';
import { restoreLineEndings, textOf } from './edits.ts';

/**
 * `GET /events/:id/edit`: a form to edit the payload and headers of one event for a replay.
 * `POST /events/:id/edit {payload, headers}`: previews that replay, or says what is wrong with the edit.
 */
export async function editPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const event = await readEditable(deps, context);
  const [payload, headers = ''] = ['payload', 'headers'].map((name) => context.form.get(name) ?? undefined);
  if (event.isMasked || payload === undefined) return editForm(event, context);
  const { text, isBase64 } = textOf(event);
  const restored = restoreLineEndings(payload, text);
  const hasBody = restored !== text;
  const hasHeaders = restoreLineEndings(headers, '') !== printHeaders(event);
  const isJson = event.payloadEncoding === 'json' && !isBase64;
  const problems = [
    ...(hasBody && isJson ? listJsonProblems('payload', restored) : []),
    ...listJsonProblems('headers', headers),
    ...(hasBody || hasHeaders ? [] : [unchanged]),
  ];
  if (problems.length > 0) return editForm(event, context, listProblems(problems));
  const body = isBase64 ? { base64: restored.replaceAll(/\s/g, '') } : restored;
  const edit = { ...(hasBody && { body }), ...(hasHeaders && { headers: JSON.parse(headers) }) };
  return replayPage(deps, context, { form: { q: selectEvent(event) }, edit, event });
}

const unchanged = { field: 'payload', remedy: 'The message is unchanged: edit the payload or the headers.' };

function editForm(event: MaskedEvent, context: PageContext, rejection?: Html): Page {
  const { id, eventType } = event;
  const { text, isBase64 } = textOf(event);
  const label = isBase64 ? 'Payload (base64, as it is not text)' : 'Payload';
  const headers = context.form.get('headers') ?? printHeaders(event);
  const breadcrumbs = [['Events', 'events'] as const, [id, `events/${id}`] as const];
  const content = html`${textField({ name: 'payload', label, value: context.form.get('payload') ?? text, rows: 24 })}
    ${textField({ name: 'headers', label: 'Headers, as JSON', value: headers, rows: 10 })}
    <div class="actions"><button class="primary">Preview</button><a class="button" href="events/${id}">Cancel</a></div>`;
  const main = html`${rejection}${pageHead(`Edit and replay ${eventType}`, breadcrumbs)}
    <p class="muted">The edit is a new event in the place of this one, which is closed with a link to it. You see the difference before it is sent.</p>
    ${event.isMasked && unmaskingEnded(event)}${postForm(context, { action: link(`events/${id}/edit`, { unmask: event.unmaskId }), content })}`;
  return { title: `Edit event ${id}`, main, status: rejection ? 400 : event.isMasked ? 403 : 200 };
}

/** Masked only if an edit of it was typed. */
async function readEditable(deps: ConsoleDeps, context: PageContext) {
  const event = await readVisibleEvent(deps, context, context.params.id ?? '');
  if (event.isMasked && !context.form.has('payload'))
    throw new ForbiddenError('This event has masked fields. Unmask it before you edit it.');
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
