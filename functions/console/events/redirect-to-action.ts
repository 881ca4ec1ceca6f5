import type { RequestHandler } from 'express';
import { InputError } from '../../../shared/errors.ts';

/** The page that previews each action. */
const previewPaths = {
  replay: 'runs/new',
  discard: 'events/discard',
  reopen: 'events/reopen',
  reprioritize: 'events/reprioritize',
} as const;

/** `GET /events/selection?command=&scope=&id=&q=`: redirects to the preview of an action on the selected events. */
export function redirectToAction(base: string): RequestHandler {
  return (request, response) => {
    const { searchParams: query } = new URL(request.url, 'http://console');
    const action = query.get('command') ?? '';
    if (!Object.hasOwn(previewPaths, action))
      throw new InputError([
        { field: 'command', value: action, remedy: `Use one of ${Object.keys(previewPaths).join(', ')}.` },
      ]);
    const text = query.get('scope') === 'all' ? (query.get('q') ?? '') : nameSelected(query.getAll('id'));
    response.redirect(
      303,
      `${base}${previewPaths[action as keyof typeof previewPaths]}?${new URLSearchParams({ q: text })}`,
    );
  };
}

function nameSelected(ids: readonly string[]): string {
  if (ids.length > 0) return `id:${ids.join(',')}`;
  const remedy = 'No event is selected: go back and select events, or choose all matching events.';
  throw new InputError([{ field: 'id', value: ids, remedy }]);
}
