import { maskBody, maskHeaders } from '../../../shared/events/masking/mask-message.ts';
import { bytesOf, type EventView } from '../../../shared/events/read-event.ts';

/** An event as a page may show it, and whether fields of it are masked. */
export type MaskedEvent = EventView & { readonly isMasked: boolean };

/** Masks the fields at the paths of a route. A payload that is not complete JSON is masked as a whole. */
export function maskEvent(event: EventView, paths: readonly string[]): MaskedEvent {
  const shown = { ...event, headers: maskHeaders(event.headers, paths), isMasked: paths.length > 0 };
  if (event.payloadEncoding === 'none' || !paths.some((path) => path.startsWith('$'))) return shown;
  const whole = bytesOf(event);
  const isJson = event.payloadEncoding === 'json' && whole.length >= event.bytes;
  const body = maskBody({ body: whole, isJson }, paths);
  return { ...shown, body, bytes: body.length, payloadEncoding: 'json' };
}
