import { ForbiddenError, InputError } from '../../../shared/errors.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { EventView } from '../events/read-event.ts';
import { readShownEvent, revealOf } from '../events/reveal.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { formatBytes } from '../parts/number.ts';
import { postForm } from '../parts/post-form.ts';
import { replayPage } from '../runs/new-run-page.ts';
import type { Visit } from '../visit.ts';
import { type MessageText, restoreLineEnds, textOf } from './message-text.ts';

/** `GET /events/:id/edit`: one event's payload and headers, to send in place of its own. */
export async function editPage(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const event = await readWhole(deps, visit);
  const { text, isBase64 } = textOf(event);
  const reveal = revealOf(visit);
  const main = html`<div class="head"><p class="crumb"><a href="events">Events</a> / <a href="events/${event.id}">${event.id}</a></p><h1>Edit and replay ${event.event_type}</h1></div>
    <p class="muted">The event stays as it was captured. What you write is sent in its place, once you have seen the difference.</p>
    ${postForm(visit, {
      action: `events/${event.id}/edit${reveal === undefined ? '' : `?reveal=${reveal}`}`,
      className: 'edit-form',
      content: html`<label class="field"><span>Payload${isBase64 && ', as base64: it is not text'}</span>
          <textarea name="body" rows="24" spellcheck="false" class="mono">\n${text}</textarea></label>
        <label class="field"><span>Headers, as JSON</span>
          <textarea name="headers" rows="10" spellcheck="false" class="mono">\n${printHeaders(event)}</textarea></label>
        <div class="acts"><button class="primary">Show the difference</button><a class="button" href="events/${event.id}">Back</a></div>`,
    })}`;
  return { title: `Edit event ${event.id}`, tab: 'events', main };
}

/** `POST /events/:id/edit {body, headers}`: previews the replay of the edited event. Nothing is changed yet. */
export async function previewEdit(deps: ConsoleDeps, visit: Visit): Promise<Page> {
  const event = await readWhole(deps, visit);
  const body = readBody(visit.form.get('body') ?? '', textOf(event));
  const headers = readHeaders(visit.form.get('headers') ?? '', event);
  const edit = { ...(body !== undefined && { body }), ...(headers !== undefined && { headers }) };
  if (Object.keys(edit).length === 0) {
    throw new InputError([
      { field: 'body', value: '(as it was)', remedy: 'Nothing was edited: go back and change something.' },
    ]);
  }
  return replayPage(deps, visit, {
    form: { q: `id:${event.id}`, includeSucceeded: 'on', includeDiscarded: 'on' },
    edit,
  });
}

async function readWhole(deps: ConsoleDeps, visit: Visit): Promise<EventView> {
  const event = await readShownEvent(deps, visit, visit.params.id ?? '');
  if (event.isMasked)
    throw new ForbiddenError('Parts of this event are hidden. Reveal them first, with a reason.');
  if (event.bytes <= (event.body?.length ?? event.bytes)) return event;
  const remedy = `A payload of ${formatBytes(event.bytes)} is too long for a form: use the replay API.`;
  throw new InputError([{ field: 'body', value: '(not shown)', remedy }]);
}

/** Undefined where it was left as it was. */
function readBody(sent: string, { text, isBase64 }: MessageText): string | { base64: string } | undefined {
  const restored = restoreLineEnds(sent, text);
  if (restored === text) return undefined;
  return isBase64 ? { base64: restored.replaceAll(/\s/g, '') } : restored;
}

function readHeaders(sent: string, event: EventView): unknown {
  if (restoreLineEnds(sent, '') === printHeaders(event)) return undefined;
  try {
    return JSON.parse(sent);
  } catch (error) {
    const remedy = `Must be JSON: ${error instanceof Error ? error.message : error}.`;
    throw new InputError([{ field: 'headers', value: '(not shown)', remedy }]);
  }
}

function printHeaders({ headers }: EventView): string {
  return JSON.stringify(headers, null, 2);
}
