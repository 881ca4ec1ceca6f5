import type { HeaderValue } from '../events/event.ts';
import type { PrintedAs } from '../message/printed-message.ts';
import type { Content } from './content.ts';

/** An HTTP request as received: the path, header names in lower case, the exact bytes of the body. */
export type Inbound = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that the signature of the request does not cover: kept with the message, never read. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** A request, or one part of a batch, with the JSON value of its body. */
export type ParsedInbound = Inbound & Content;

/**
 * 0: no content. 1: JSON of a report, which a consumer printed again. 2: bytes of a report. 3: a broker's copy of which a
 * bridge may have changed the key or headers. 4: the broker's exact copy.
 */
export type ContentRank = 0 | 1 | 2 | 3 | 4;

/** The facts of an event, under the code's names for columns of dlq_events. */
export type Facts = {
  readonly eventKey: string;
  /**
   * Whether the event key names one publication or delivery, because the broker assigns its id again each time. A
   * capture with a known key of this kind is a duplicate, never a recurrence.
   */
  readonly isKeyPerDelivery: boolean;
  /** `<id>.<token>` of a redelivery. A claim: the statement that stores the capture verifies it. */
  readonly redelivery: string | null;
  /** The transport's id of this delivery, else a digest of the request. A capture with the same id is a repetition. */
  readonly deliveryId: string | null;
  /** Whether the envelope names neither delivery nor time: an equal request is a repetition only for a while. */
  readonly isDeliveryGuessed: boolean;
  readonly eventType: string;
  /** False if the type is unknown or only the name of a topic: a later capture that states the type replaces it. */
  readonly isTypeTold: boolean;
  /** Where content, headers and key come from. A higher rank replaces a lower one, in whichever order they come. */
  readonly contentRank: ContentRank;
  /** Whether the message is known to have a value of zero bytes, which in Kafka is not the same as none, a tombstone. */
  readonly hasEmptyValue: boolean;
  readonly eventId: string | null;
  readonly errorReason: string | null;
  readonly errorStacktrace: string | null;
  readonly errorClass: string | null;
  /** The decisions of the consumer: whether the failure is permanent, and how to retry. Seconds count from the capture. */
  readonly errorKind: 'transient' | 'permanent' | null;
  readonly retryAfter: number | Date | null;
  readonly maxRetries: number | null;
  readonly priority: number | null;
  readonly sourceKind: string;
  readonly sourceTopic: string | null;
  readonly sourcePartition: number | null;
  readonly sourceOffset: string | null;
  readonly sourceKey: string | null;
  /** The exact bytes of the key, in base64, if they are not those of its text. */
  readonly sourceKeyBase64: string | null;
  readonly sourceSubscription: string | null;
  readonly consumerGroup: string | null;
  readonly sourceAttempts: number | null;
  readonly traceId: string | null;
  readonly occurredAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Members of a report and `dlo-` headers that are no facts; their values are in `metadata`. */
  readonly ignored: readonly string[];
};

/** A failed message without its transport, and the facts that the transport reported. */
export type Message = Content & {
  readonly contentType: string | null;
  /** Attributes or headers of the message itself, not of the transport. */
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** Further headers, which no signature covers: no format reads them. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>;
  readonly facts: Partial<Facts>;
};

/** One event to store. */
export type Capture = Facts &
  Omit<Message, 'facts' | 'json' | 'unsignedHeaders'> & {
    readonly isJson: boolean;
    /** How its bytes are printed from its JSON; null if they have to be stored. */
    readonly printedAs: PrintedAs | null;
    /** The names of the transport and of the dead-letter format that read it. */
    readonly transport: string;
    readonly format: string | null;
  };

/**
 * Reads the messages of a request. Returns undefined for a request of another transport. A message without an
 * `eventKey` is identified by its dead-letter format, or else by its content.
 */
export type Transport = (request: ParsedInbound) => Message[] | undefined;

/**
 * Reads the facts of a failure that a framework or broker wrote into a message. Returns undefined for a message of
 * another format. The returned facts replace those of the transport; so do the body, content type and headers, for a
 * format that wraps the failed message.
 */
export type DeadLetterFormat = (
  message: Message,
) => Partial<Omit<Capture, 'isJson' | 'transport' | 'format'>> | undefined;
