import type { Request, Response } from 'express';
import { ForbiddenError } from '../../../shared/errors.ts';
import { findRoute } from '../../../shared/routes.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { bytesOf, readEvent } from './read-event.ts';

const extensions = { json: 'json', text: 'txt', base64: 'bin', none: 'bin' } as const;
/** PostgreSQL's own limit for one value. */
const everything = 1_073_741_823;

/** `GET /events/:id/body`: the exact bytes, as a file that no browser opens by itself. */
export async function downloadBody(
  { db, routes }: ConsoleDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const event = await readEvent(db, String(request.params.id), everything);
  if (findRoute(routes, event)?.mask.length) {
    throw new ForbiddenError('Parts of this payload are hidden. Reveal it, and look at it there.');
  }
  response.type('application/octet-stream');
  response.attachment(`event-${event.id}.${extensions[event.payload_encoding]}`);
  response.send(bytesOf(event));
}
