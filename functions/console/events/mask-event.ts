import { hidden, maskJson } from '../../../shared/mask.ts';
import { bytesOf, type EventView } from './read-event.ts';

/** An event of which not everything is shown. */
export type MaskedEvent = EventView & { readonly isMasked: boolean };

/** Hides what the paths of a route name. A payload that cannot be looked into is hidden as a whole. */
export function maskEvent(event: EventView, paths: readonly string[]): MaskedEvent {
  const inPayload = paths.filter((path) => path.startsWith('$'));
  const inHeaders = new Set(
    paths.filter((path) => !path.startsWith('$')).map((path) => path.slice('headers.'.length).toLowerCase()),
  );
  const shown = { ...event, headers: hideHeaders(event.headers, inHeaders), isMasked: paths.length > 0 };
  if (inPayload.length === 0 || event.payload_encoding === 'none') return shown;
  const bytes = bytesOf(event);
  const isReadable = event.payload_encoding === 'json' && bytes.length >= event.bytes;
  const masked = isReadable ? maskJson(bytes.toString('utf8'), inPayload) : undefined;
  const body = Buffer.from(masked ?? JSON.stringify(hidden));
  return { ...shown, body, bytes: body.length, payload_encoding: 'json', content_type: event.content_type };
}

function hideHeaders(headers: EventView['headers'], names: ReadonlySet<string>): EventView['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, names.has(name.toLowerCase()) ? hidden : value]),
  );
}
