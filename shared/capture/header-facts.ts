import type { Headers } from '../message/event.ts';
import { findTraceId } from './column-values.ts';
import { findHeader, firstText } from './header-values.ts';
import { findApplicationId, keyFromId } from './identity.ts';

/**
 * What applications write, whatever the broker. The key is an id that survives republishing: the
 * application's, else a CloudEvent's. The delivery's own traceparent counts only if the message has none.
 * `__TypeId__` is Spring's.
 */
export function readHeaderFacts(headers: Headers, traceparent?: unknown) {
  const header = (name: string) => firstText(findHeader(headers, name));
  const attribute = (name: string) => header(`ce-${name}`) ?? header(`ce_${name}`);
  const [own, id, source] = [findApplicationId(headers), attribute('id'), attribute('source')];
  const eventKey = own === null ? id && source && `ce:${source}#${id}` : keyFromId(own);
  return {
    ...(eventKey && { eventKey }),
    eventId: own ?? id,
    eventType: header('event_type') ?? header('eventType') ?? attribute('type') ?? header('__TypeId__'),
    traceId: findTraceId(
      header('googclient_traceparent'),
      header('traceparent'),
      attribute('traceparent'),
      traceparent,
    ),
  };
}
