import { validate } from '../../../shared/config/validate.ts';
import type { Database } from '../../../shared/database/database.ts';
import { ForbiddenError, NotFoundError } from '../../../shared/errors.ts';
import { ExportFormatSchema, exportEvents, exportTypes } from '../../../shared/events/export-events.ts';
import { readFilterText } from '../../../shared/events/filter/read-filter.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { findMask } from '../../../shared/events/masking/mask-rules.ts';
import { type EventView, readEvent } from '../../../shared/events/read-event.ts';
import { streamLines } from '../../stream-lines.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

const extensions = { json: 'json', text: 'txt', base64: 'bin', none: 'bin' } as const;

function attachment(body: ReadableStream | string, name: string, type: string): Response {
  const headers = { 'content-disposition': `attachment; filename="${name}"`, 'content-type': type };
  return new Response(body, { headers });
}

/** `GET /events/:id/body`: the exact bytes as a file. */
export async function downloadBody(deps: ConsoleDeps, { params }: PageContext): Promise<Response> {
  const event = await readEvent(deps.db, params.id ?? '', { max: 0 });
  if (findMask(deps, event).length > 0) {
    throw new ForbiddenError('This payload has masked fields. Unmask the event and view it there.');
  }
  const name = `event-${event.id}.${extensions[event.payloadEncoding]}`;
  return attachment(ReadableStream.from(readBody(deps.db, event)), name, 'application/octet-stream');
}

/**
 * Bytes of a part of a body in memory: multiples of 3, as base64 has 4 characters for 3 bytes. The first
 * comes soon; PostgreSQL prints a text or JSON as a whole for each, so that the others are few.
 */
const firstBytes = 1_572_864;
const partBytes = 4 * firstBytes;

/** Reads the whole body of an event, however large, in parts. Throws if the body changes meanwhile. */
export async function* readBody(db: Database, { id, bytes, isExact }: EventView): AsyncGenerator<Buffer> {
  for (let [from, max] = [1, firstBytes]; from <= bytes; [from, max] = [from + max, partBytes]) {
    const part = await readEvent(db, id, { from, max, maxText: 0 });
    if (part.bytes !== bytes || part.isExact !== isExact) throw new Error(`The body of event ${id} changed.`);
    yield part.body;
  }
}

/** `GET /events/:id/stack`: the whole stack trace, as a file. */
export async function downloadStack({ db }: ConsoleDeps, { params }: PageContext): Promise<Response> {
  // PostgreSQL's limit for one value.
  const whole = { max: 0, maxText: 1_073_741_823 };
  const { id, errorStacktrace: stack } = await readEvent(db, params.id ?? '', whole);
  if (stack === null) throw new NotFoundError(`Event ${id} has no stack trace.`);
  return attachment(stack, `event-${id}-stack.txt`, 'text/plain; charset=utf-8');
}

/** `GET /events/export?q=&format=`: the events of a list as a file, with the masks of their routes. */
export async function exportList(deps: ConsoleDeps, { query, caller, now }: PageContext): Promise<Response> {
  const format = validate(ExportFormatSchema, query.get('format'), 'format');
  const filter = readFilterText(query.get('q') ?? '', now);
  await guardProbes(deps, caller, { filter });
  const isArchived = query.get('archived') === 'true';
  const lines = await streamLines(exportEvents(deps, { filter, isArchived, format }));
  const name = `events-${now.toISOString().slice(0, 10)}.${format}`;
  return attachment(lines, name, `${exportTypes[format]}; charset=utf-8`);
}
