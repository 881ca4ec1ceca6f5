import { ForbiddenError, NotFoundError } from '../../../shared/errors.ts';
import { findMask } from '../../../shared/events/masking/mask-rules.ts';
import { readEvent, readStack } from '../../../shared/events/read-event.ts';
import { attachment } from '../attachment.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

const extensions = { json: 'json', text: 'txt', base64: 'bin', none: 'bin' } as const;
/** PostgreSQL's limit for one value. */
const maxBytes = 1_073_741_823;

/** `GET /events/:id/body`: the exact bytes as a file. */
export async function downloadBody(deps: ConsoleDeps, { params }: PageContext): Promise<Response> {
  const event = await readEvent(deps.db, params.id ?? '', maxBytes);
  if (findMask(deps, event).length > 0) {
    throw new ForbiddenError('This payload has masked fields. Unmask the event and view it there.');
  }
  const name = `event-${event.id}.${extensions[event.payloadEncoding]}`;
  // A stream, because a response would copy the bytes.
  return attachment(ReadableStream.from([event.body ?? Buffer.alloc(0)]), name, 'application/octet-stream');
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
