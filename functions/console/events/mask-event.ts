import { maskBody, maskHeaders } from '../../../shared/mask-message.ts';
import { bytesOf, type EventView } from './read-event.ts';

/** An event of which not everything is shown. */
export type MaskedEvent = EventView & { readonly isMasked: boolean };

/** Hides what the paths of a route name. A payload that cannot be looked into is hidden as a whole. */
export function maskEvent(event: EventView, paths: readonly string[]): MaskedEvent {
  const shown = { ...event, headers: maskHeaders(event.headers, paths), isMasked: paths.length > 0 };
  if (event.payload_encoding === 'none' || !paths.some((path) => path.startsWith('$'))) return shown;
  const whole = bytesOf(event);
  const isJson = event.payload_encoding === 'json' && whole.length >= event.bytes;
  const body = maskBody({ body: whole, isJson }, paths);
  return { ...shown, body, bytes: body.length, payload_encoding: 'json' };
}
