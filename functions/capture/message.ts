import type { HeaderValue } from '../../shared/events.ts';

/** A request as it came: the path below the function's own, header names in lower case, the body's exact bytes. */
export type Inbound = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Everything an event is, but for its bytes: the columns of dlq_events in the words of the code. */
export type Facts = {
  readonly eventKey: string;
  /** The `dlo-event-id` of one of our own redeliveries, as it claims. */
  readonly redeliveredId: string | null;
  /** What the carrier calls this very delivery, so that its repetition is recognised. */
  readonly carrierId: string | null;
  readonly eventType: string;
  readonly eventId: string | null;
  readonly errorReason: string | null;
  readonly errorStacktrace: string | null;
  readonly errorClass: string | null;
  readonly sourceKind: string;
  readonly sourceTopic: string | null;
  readonly sourcePartition: number | null;
  readonly sourceOffset: string | null;
  readonly sourceKey: string | null;
  /** The exact bytes of the key, in base64, where they are not those of its text. */
  readonly sourceKeyBase64: string | null;
  readonly sourceSubscription: string | null;
  readonly consumerGroup: string | null;
  readonly sourceAttempts: number | null;
  readonly traceId: string | null;
  readonly occurredAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
};

/** A failed message after its transport was peeled off, with the facts that the transport told. */
export type Message = {
  readonly body: Buffer;
  readonly contentType: string | null;
  /** The attributes or headers of the message itself, not those of the transport. */
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly facts: Partial<Facts>;
};

/** What is stored: a message, whether it is JSON, and all its facts. */
export type Capture = Facts & Omit<Message, 'facts'> & { readonly isJson: boolean };

/** Reads one way of transport, or returns undefined where the request is of another. */
export type Carrier = (request: Inbound) => Message[] | undefined;

/**
 * Reads what one family of dead letters writes into a message, or returns undefined where it is of another. Its facts
 * win over the carrier's, and so do body, content type and headers, where the event is wrapped once more.
 */
export type Family = (message: Message) => Partial<Capture> | undefined;
