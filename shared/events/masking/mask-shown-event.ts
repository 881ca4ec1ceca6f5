import { findRoute, type Route } from '../../delivery/routes.ts';
import type { HeaderValue, Origin } from '../event.ts';
import { hidden, isNamed, listSteps, maskJson } from './mask.ts';

/** The fields of a shown event that select its route or contain masked values. */
type ShownEvent = Origin & {
  readonly payloadEncoding: string;
  /** Null if they are too large to be shown. */
  readonly headers: Readonly<Record<string, HeaderValue>> | null;
};

/** The JSON text of an event with the values masked that its route names; a payload that is not JSON is masked as a whole. */
export function maskShownEvent(json: string, routes: readonly Route[]): string {
  if (routes.every(({ mask }) => mask.length === 0)) return json;
  const event = JSON.parse(json) as ShownEvent;
  const mask = findRoute(routes, event)?.mask ?? [];
  const paths = [...listPayload(mask, event), ...listHeaders(mask, event), ...listOtherCaptures(mask)];
  return paths.length === 0 ? json : (maskJson(json, paths) ?? JSON.stringify(hidden));
}

/** The exact bytes repeat the payload: they are masked with any part of it. */
function listPayload(mask: readonly string[], { payloadEncoding }: ShownEvent): string[][] {
  const inPayload = payloadEncoding === 'json' ? listSteps(mask) : listSteps(mask).map(() => []);
  return inPayload.flatMap((steps) => [['payload', ...steps], ['bodyBase64']]);
}

/** Other captures of the event may have another form: they are masked with any part of the payload, or any header. */
function listOtherCaptures(mask: readonly string[]): string[][] {
  const inPayload = mask.some((path) => path.startsWith('$')) ? ['payload', 'bodyBase64'] : [];
  const inHeaders = mask.some((path) => path.startsWith('headers.')) ? ['headers'] : [];
  return [...inPayload, ...inHeaders].map((name) => ['metadata', 'otherCaptures', '*', name]);
}

function listHeaders(mask: readonly string[], { headers }: ShownEvent): string[][] {
  return Object.keys(headers ?? {}).flatMap((name) => (isNamed(mask, name) ? [['headers', name]] : []));
}
