import type { RequestHandler, Response } from 'express';
import { openBodyReader } from '../read-body.ts';

/** An edited message: up to 256 KiB of payload with its indentation, percent-encoded, and its headers. */
const maxBytes = 4 * 2 ** 20;

/** Reads the form of a POST, for `formOf`. Throws TooLargeError and OverloadedError. */
export function readPostedForm(): RequestHandler {
  const readBody = openBodyReader(maxBytes);
  return async (request, response, next) => {
    const isForm = request.method === 'POST' && request.is('application/x-www-form-urlencoded');
    if (isForm) {
      const { bytes } = await readBody(request, response);
      response.locals.form = new URLSearchParams(bytes.toString('utf8'));
    }
    next();
  };
}

/** The fields of the posted form; empty for any other request. */
export function formOf({ locals }: Response): URLSearchParams {
  return (locals.form as URLSearchParams | undefined) ?? new URLSearchParams();
}
