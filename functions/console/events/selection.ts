import type { RequestHandler } from 'express';
import { InputError } from '../../../shared/errors.ts';

/** Where each act says first what it would do. */
const places = {
  replay: 'runs/new',
  discard: 'events/discard',
  reopen: 'events/reopen',
  reprioritise: 'events/reprioritise',
} as const;

/** `GET /events/selection?act=&scope=&id=&q=`: leads on to the act, with the chosen events as a filter. */
export function leadToAct(base: string): RequestHandler {
  return (request, response) => {
    const { searchParams: query } = new URL(request.url, 'http://console');
    const act = query.get('act') ?? '';
    if (!Object.hasOwn(places, act))
      throw new InputError([
        { field: 'act', value: act, remedy: `Use one of ${Object.keys(places).join(', ')}.` },
      ]);
    const text = query.get('scope') === 'all' ? (query.get('q') ?? '') : nameSelected(query.getAll('id'));
    response.redirect(
      303,
      `${base}${places[act as keyof typeof places]}?${new URLSearchParams({ q: text })}`,
    );
  };
}

function nameSelected(ids: readonly string[]): string {
  if (ids.length > 0) return `id:${ids.join(',')}`;
  const remedy = 'Nothing is selected: go back and select some events, or choose all that match.';
  throw new InputError([{ field: 'id', value: ids, remedy }]);
}
