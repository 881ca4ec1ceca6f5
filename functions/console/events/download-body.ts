import type { Request, Response } from 'express';
import { findRoute } from '../../../shared/delivery/routes.ts';
import { ForbiddenError, NotFoundError } from '../../../shared/errors.ts';
import { readEvent, readStack } from '../../../shared/events/read-event.ts';
import type { ConsoleDeps } from '../page.ts';

const extensions = { json: 'json', text: 'txt', base64: 'bin', none: 'bin' } as const;
/** PostgreSQL's limit for one value. */
const maxBytes = 1_073_741_823;

/** `GET /events/:id/body`: the exact bytes as an attachment, which browsers save and do not open. */
export async function downloadBody(
  { db, routes }: ConsoleDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const event = await readEvent(db, String(request.params.id), maxBytes);
  if (findRoute(routes, event)?.mask.length) {
    throw new ForbiddenError('This payload has masked fields. Unmask the event and view it there.');
  }
  response.attachment(`event-${event.id}.${extensions[event.payloadEncoding]}`);
  // After `attachment`, which sets a type by the extension of the name.
  response.type('application/octet-stream');
  response.send(event.body);
}

/** `GET /events/:id/stack`: the whole stack trace, as an attachment. */
export async function downloadStack(
  { db }: ConsoleDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const { id } = await readEvent(db, String(request.params.id), 0);
  const [row] = await readStack(db, { id });
  const stack = row?.stack;
  if (typeof stack !== 'string') throw new NotFoundError(`Event ${id} has no stack trace.`);
  response.attachment(`event-${id}-stack.txt`);
  response.type('text/plain; charset=utf-8');
  response.send(stack);
}
