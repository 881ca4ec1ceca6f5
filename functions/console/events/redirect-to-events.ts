import type { Request, Response } from 'express';
import { composeText } from './filter-form.ts';
import { searchLink } from './search.ts';

/** `GET /events/find?type=&failed=`: redirects from the submitted filter form to the matching events. */
export function redirectToEvents(base: string, request: Request, response: Response): void {
  const { searchParams } = new URL(request.url, 'http://console');
  response.redirect(303, base + searchLink(composeText(searchParams)));
}
