/** A header's value: text, the base64 of bytes that are none, or several of these in their order. */
export type HeaderValue = SingleValue | readonly SingleValue[];
export type SingleValue = string | { readonly base64: string };
export type Headers = Readonly<Record<string, HeaderValue>>;

/** A message as its broker delivered it: what capture keeps, and a redelivery sends. */
export type MessageFacts = {
  /** The exact bytes; null for a message that has none, such as a tombstone in Kafka. */
  readonly body: Uint8Array | string | null;
  /** Headers or attributes of the message, `dlo-event-id` and `dlo-attempt` of a redelivery among them. */
  readonly headers?: Headers;
  readonly contentType?: string | undefined;
  readonly eventType?: string | undefined;
  /** The id of the message itself, not that of an order or a customer. */
  readonly eventId?: string | undefined;
  /** When the message was published. */
  readonly occurredAt?: Date | undefined;
  readonly traceparent?: string | undefined;
  readonly source?: {
    readonly kind?: string;
    readonly topic?: string | undefined;
    readonly partition?: number | undefined;
    readonly offset?: string | undefined;
    readonly key?: Uint8Array | string | null | undefined;
    readonly subscription?: string | undefined;
    /** How often the broker has delivered the message, this time included. */
    readonly attempts?: number | undefined;
  };
};
