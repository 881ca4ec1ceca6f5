import type { HeaderValue } from '../../../shared/events.ts';
import { hidden, isNamed, listSteps, maskJson } from '../../../shared/mask.ts';
import { findRoute, type Route } from '../../../shared/routes.ts';

/** What of an answer tells its route, and where what is hidden stands in it. */
type Shown = {
  readonly eventType: string;
  readonly sourceKind: string;
  readonly sourceTopic: string | null;
  readonly consumerGroup: string | null;
  readonly payloadEncoding: string;
  readonly headers: Readonly<Record<string, HeaderValue>>;
};

/** An event as the text of JSON without what its route hides; a payload that is no JSON is hidden as a whole. */
export function maskShownEvent(json: string, routes: readonly Route[]): string {
  if (routes.every(({ mask }) => mask.length === 0)) return json;
  const event = JSON.parse(json) as Shown;
  const mask = findMask(routes, event);
  const ways = [...listPayload(mask, event), ...listHeaders(mask, event)];
  return ways.length === 0 ? json : (maskJson(json, ways) ?? JSON.stringify(hidden));
}

function findMask(routes: readonly Route[], event: Shown): readonly string[] {
  const { eventType, sourceKind, sourceTopic, consumerGroup } = event;
  const origin = {
    event_type: eventType,
    source_kind: sourceKind,
    source_topic: sourceTopic,
    consumer_group: consumerGroup,
  };
  return findRoute(routes, origin)?.mask ?? [];
}

/** The bytes say the same as the payload. */
function listPayload(mask: readonly string[], { payloadEncoding }: Shown): string[][] {
  const inPayload = payloadEncoding === 'json' ? listSteps(mask) : listSteps(mask).map(() => []);
  return inPayload.flatMap((steps) => [['payload', ...steps], ['bodyBase64']]);
}

function listHeaders(mask: readonly string[], { headers }: Shown): string[][] {
  return Object.keys(headers).flatMap((name) => (isNamed(mask, name) ? [['headers', name]] : []));
}
