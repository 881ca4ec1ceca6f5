import type { Guard } from '../guard.ts';
import type { MessageFacts } from '../message-facts.ts';
import { readPush } from './pubsub-push.ts';

/** A CloudEvent, as the functions-framework passes it. */
export type CloudEventLike = {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly specversion: string;
  readonly time?: string | undefined;
  readonly data?: unknown;
  readonly datacontenttype?: string | undefined;
};

/** For `functions.cloudEvent(name, ...)`: throws what was not reported, so that its sender sends it again. */
export function wrapCloudEvent(guard: Guard) {
  return <Event extends CloudEventLike>(handler: (event: Event) => unknown) =>
    async (event: Event): Promise<void> => {
      const settled = await guard(
        () => handler(event),
        () => readPush(event.data) ?? readEvent(event),
      );
      if (settled.is === 'left') throw settled.error;
    };
}

/** The message is the data; the other attributes are the headers of a CloudEvent in binary mode. */
function readEvent(event: CloudEventLike): MessageFacts {
  const { data, datacontenttype, ...attributes } = event;
  const texts = Object.entries(attributes).filter(([, value]) => isPrimitive(value));
  return {
    body: toBytes(data),
    headers: Object.fromEntries(texts.map(([name, value]) => [`ce-${name}`, String(value)])),
    contentType: datacontenttype,
    eventType: event.type,
    eventId: event.id,
    occurredAt: event.time === undefined ? undefined : new Date(event.time),
    source: { kind: 'cloudevent' },
  };
}

/** The framework has parsed JSON, which is printed again. */
function toBytes(data: unknown): Uint8Array | string | null {
  if (data === undefined) return null;
  if (data instanceof Uint8Array || typeof data === 'string') return data;
  return JSON.stringify(data);
}

function isPrimitive(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
