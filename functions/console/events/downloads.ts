import { validate } from '../../../shared/config/validate.ts';
import { ForbiddenError, NotFoundError } from '../../../shared/errors.ts';
import { ExportFormatSchema, exportEvents, exportTypes } from '../../../shared/events/export-events.ts';
import { readFilterQuery } from '../../../shared/events/filter/read-filter.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { findMask } from '../../../shared/events/masking/mask-rules.ts';
import { readEvent, readStack } from '../../../shared/events/read-event.ts';
import { streamLines } from '../../stream-lines.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

const extensions = { json: 'json', text: 'txt', base64: 'bin', none: 'bin' } as const;
/** PostgreSQL's limit for one value. */
const maxBytes = 1_073_741_823;

/** Answers with a file that browsers save and do not open. `type` is its media type. */
function attachment(body: ReadableStream, name: string, type: string): Response {
  const headers = { 'content-disposition': `attachment; filename="${name}"`, 'content-type': type };
  return new Response(body, { headers });
}

/** `GET /events/:id/body`: the exact bytes as a file. */
export async function downloadBody(deps: ConsoleDeps, { params }: PageContext): Promise<Response> {
  const event = await readEvent(deps.db, params.id ?? '', maxBytes);
  if (findMask(deps, event).length > 0) {
    throw new ForbiddenError('This payload has masked fields. Unmask the event and view it there.');
  }
  const name = `event-${event.id}.${extensions[event.payloadEncoding]}`;
  // A stream, because a response would copy the bytes.
  return attachment(ReadableStream.from([event.body]), name, 'application/octet-stream');
}

/** `GET /events/:id/stack`: the whole stack trace, as a file. */
export async function downloadStack({ db }: ConsoleDeps, { params }: PageContext): Promise<Response> {
  const { id } = await readEvent(db, params.id ?? '', 0);
  const [row] = await readStack(db, { id });
  const stack = row?.stack;
  if (typeof stack !== 'string') throw new NotFoundError(`Event ${id} has no stack trace.`);
  const bytes = ReadableStream.from([Buffer.from(stack)]);
  return attachment(bytes, `event-${id}-stack.txt`, 'text/plain; charset=utf-8');
}

/** `GET /events/export?q=&format=`: the events of a list as a file, with the masks of their routes. */
export async function exportList(deps: ConsoleDeps, { query, caller, now }: PageContext): Promise<Response> {
  const format = validate(ExportFormatSchema, query.get('format'), 'format');
  const filter = readFilterQuery({ q: query.get('q') ?? '' }, now);
  await guardProbes(deps, caller, { filter });
  const isArchived = query.get('archived') === 'true';
  const lines = await streamLines(exportEvents(deps, { filter, isArchived, format }));
  const name = `events-${now.toISOString().slice(0, 10)}.${format}`;
  return attachment(lines, name, `${exportTypes[format]}; charset=utf-8`);
}
