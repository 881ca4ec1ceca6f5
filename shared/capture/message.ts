import type { HeaderValue } from '../message/event.ts';
import type { PrintedAs } from '../message/printed-message.ts';
import type { Content } from './content.ts';
import type { SourceRecord } from './sources/source.ts';

/** A source with the fields of its preset. */
export type Source = SourceRecord & {
  readonly mediaType?: string;
  /** What it says of a message. `isAlone`: its request has no other one, which the headers could name. */
  readonly declare: (
    message: Message,
    sent: Pick<Inbound, 'headers' | 'query'>,
    isAlone: boolean,
  ) => Partial<Facts>;
};

/** An HTTP request as received: the path, header names in lower case, the exact bytes of the body. */
export type Inbound = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that the signature of the request does not cover: kept with the message, never read. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>;
  /** Names of headers whose bytes are no UTF-8: their text is that of Latin-1. */
  readonly latin1Headers?: readonly string[];
  /** The query of a signed request, which no signature covers: kept, never read. */
  readonly unsignedQuery?: URLSearchParams;
  readonly body: Buffer;
  /** The signature of the request, if it has one: the same request again is a repetition. */
  readonly signature?: string;
  /** The source that sent it, if one is configured. */
  readonly source?: Source | undefined;
};

/** A request, or one part of a batch, with the JSON value of its body. */
export type ParsedInbound = Inbound & Content;

/**
 * Who speaks: null for the message itself, `report` for its consumer, who may reprint it, `bridge` for a copy
 * with a key or headers that a bridge may have changed.
 */
export type Origin = 'report' | 'bridge' | null;

/** The facts of an event, under the code's names for columns of dlq_events. */
export type Facts = {
  /** The most specific id of the message, without its consumer. */
  readonly eventKey: string;
  /** The consumer that failed: one message that fails in two consumers is two failures. */
  readonly consumer: string | null;
  /** `<id>.<token>` of a redelivery. A claim: the statement that stores the capture verifies it. */
  readonly redelivery: string | null;
  /** The `dlo-attempt` of that redelivery. */
  readonly attempt: number | null;
  /** The id of this arrival, by which its transport or its sender repeats it. */
  readonly deliveryId: string | null;
  readonly origin: Origin;
  /**
   * Which publication failed, from `toPublication`, and when it failed: at the consumer, or when the broker
   * gave up.
   */
  readonly publication: string | null;
  readonly failedAt: Date | null;
  readonly eventType: string;
  /**
   * False if the type is unknown or only the name of a topic: a later capture that states the type replaces
   * it.
   */
  readonly isTypeTold: boolean;
  /**
   * Whether the message is known to have a value of zero bytes, which in Kafka is not the same as none, a
   * tombstone.
   */
  readonly hasEmptyValue: boolean;
  readonly eventId: string | null;
  readonly errorReason: string | null;
  readonly errorStacktrace: string | null;
  readonly errorClass: string | null;
  /**
   * The decisions of the consumer: whether the failure is permanent, and how to retry. Seconds count from the
   * capture.
   */
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
  /** The attributes of the CloudEvent that its content is: formats read them as headers. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Further headers, which no signature covers: no format reads them. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>;
  /** The JSON text of bytes in another charset, or behind a byte-order mark. */
  readonly text?: string;
  readonly facts: Partial<Facts>;
};

/** One event to store. */
export type Capture = Facts &
  Omit<Message, 'facts' | 'json' | 'attributes' | 'unsignedHeaders'> & {
    readonly isJson: boolean;
    /** Why the body is not what its media type declares: `not JSON: position 81`. */
    readonly unread: string | null;
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
