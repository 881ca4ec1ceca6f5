import type { Headers, HeaderValue } from '../message/event.ts';
import type { Fact } from '../message/formats/format.ts';
import * as column from './column-values.ts';
import type { Content } from './content.ts';
import type { openEncodedReader } from './decode-text.ts';
import type { Payload } from './payload.ts';
import type { SourceRecord } from './sources/source.ts';

/**
 * Who speaks: null for the message itself, `report` for its consumer, who may reprint it, `bridge` for a copy
 * with a key or headers that a bridge may have changed.
 */
export type Speaker = 'report' | 'bridge' | null;

/** The member of dlq_captured, how it is read from any value, its name in formats, its header. */
export const facts = {
  /** The most specific id of the message, without its consumer. */
  eventKey: ['message_key', column.toText],
  /** The consumer that failed: one message that fails in two consumers is two failures. */
  consumer: ['consumer', column.toText, 'scope'],
  /** A claim: the statement that stores the capture verifies it. */
  redelivery: ['redelivery', column.toText],
  /** The `dlo-attempt` of that redelivery. */
  attempt: ['attempt', column.toCount],
  /** The id of this arrival, by which its transport or its sender repeats it. */
  deliveryId: ['delivery_id', column.toText, 'delivery'],
  origin: ['origin', (value: unknown) => value as Speaker, 'origin'],
  /** The publication that failed, from `toPublication`. */
  publication: ['publication', column.toText, 'published'],
  /** When it failed: at the consumer, or when the broker gave up. */
  failedAt: ['failed_at', column.toZonedDate, 'failedAt'],
  eventType: ['event_type', column.toText, 'type', 'dlo-event-type'],
  eventId: ['event_id', column.toText, 'id', 'dlo-event-id'],
  errorReason: ['error_reason', column.toText, undefined, 'dlo-error-reason'],
  errorClass: ['error_class', column.toText, undefined, 'dlo-error-class'],
  errorStacktrace: ['error_stacktrace', column.toText],
  /** The decisions of the consumer. Seconds count from the capture. */
  errorKind: ['error_kind', column.toErrorKind, 'errorKind', 'dlo-error-kind'],
  retryAfter: ['retry_after', column.toRetryAfter, 'retryAfter', 'dlo-retry-after'],
  maxRetries: ['max_retries', column.toCount, 'maxRetries', 'dlo-max-retries'],
  priority: ['priority', column.toPriority, 'priority', 'dlo-priority'],
  sourceKind: ['source_kind', column.toText, 'sourceKind'],
  sourceTopic: ['source_topic', column.toText, 'topic', 'dlo-topic'],
  sourcePartition: ['source_partition', column.toCount, 'partition'],
  sourceOffset: ['source_offset', column.toBigCount, 'offset'],
  sourceKey: ['source_key', column.toText, 'key', 'dlo-key'],
  /** The exact bytes of the key, in base64, if they are not those of its text. */
  sourceKeyBase64: ['source_key_bytes', column.toText],
  sourceSubscription: ['source_subscription', column.toText, 'subscription'],
  consumerGroup: ['consumer_group', column.toText, 'consumer', 'dlo-consumer-group'],
  sourceAttempts: ['source_attempts', column.toCount, 'attempts'],
  traceId: ['trace_id', (value: unknown) => column.findTraceId(value), 'trace'],
  occurredAt: ['occurred_at', column.toDate, 'time'],
  metadata: ['metadata', (value: unknown) => value as Readonly<Record<string, unknown>> | null],
} as const satisfies Record<string, FactOf>;

type FactOf = readonly [column: string, read: Read, inFormats?: Fact | undefined, header?: string];
type Read = (value: unknown) => unknown;

export type FactName = keyof typeof facts;

export const factList = Object.entries(facts) as readonly (readonly [FactName, FactOf])[];

/** The facts of a message. Null: not told. */
export type Facts = { readonly [Name in FactName]: ReturnType<(typeof facts)[Name][1]> } & {
  readonly eventKey: string;
  /** The type where nothing tells one: the name of a topic. */
  readonly topicType: string | null;
};

export const noFacts = {
  ...Object.fromEntries(factList.map(([name]) => [name, null])),
  topicType: null,
} as unknown as Omit<Facts, 'eventKey'>;

/** Notes that are null or empty say nothing. */
export function addNotes(
  metadata: Facts['metadata'] | undefined,
  notes: Readonly<Record<string, unknown>>,
): Facts['metadata'] {
  const told = Object.entries(notes).filter(([, note]) => Object.keys(Object(note)).length > 0);
  return told.length === 0 ? (metadata ?? null) : { ...metadata, ...Object.fromEntries(told) };
}

/** A note, because a delivery replaces the event's own kind and time, an operator its priority. */
export function listDecision(facts: Pick<Facts, 'errorKind' | 'retryAfter' | 'maxRetries' | 'priority'>) {
  const { errorKind: kind, retryAfter, maxRetries, priority } = facts;
  const all = Object.entries({ kind, retryAfter, maxRetries, priority });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** A source with the fields of its preset. */
export type Source = SourceRecord & {
  /** What it says of a message. `isAlone`: its request has no other one, which the headers could name. */
  readonly declare: (message: Message, isAlone: boolean) => Partial<Facts>;
};

/** An HTTP request as received: the path, header names in lower case, the exact bytes of the body. */
export type Inbound = {
  readonly path: string;
  /** Kept, and of a request without a signature read: none covers it. */
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that the signature of the request does not cover: kept with the message, never read. */
  readonly unsignedHeaders?: Readonly<Record<string, string>> | undefined;
  /** Names of headers whose bytes are no UTF-8: their text is that of Latin-1. */
  readonly latin1Headers?: readonly string[];
  readonly body: Buffer;
  /** The signature of the request, if it has one: the same request again is a repetition. */
  readonly signature?: string;
  /** The source that sent it, if one is configured. */
  readonly source?: Source | undefined;
};

/** A request with the value of its body, or one element of a batch. A source may declare another type. */
export type ParsedInbound = Inbound &
  Content & { readonly sentType: string; readonly readEncoded: ReturnType<typeof openEncodedReader> };

/** Headers by their names in lower case. */
export type Named = Pick<ReadonlyMap<string, HeaderValue>, 'get'>;

/**
 * A failed message, and what was read of it so far. A request is one of its own, until a transport finds
 * another one in it.
 */
export type Message = Content & {
  readonly request: ParsedInbound;
  readonly contentType: string | null;
  /** Attributes or headers of the message itself, not of the transport. */
  readonly headers: Headers;
  /** Its headers, and the attributes of the CloudEvent that its content is. */
  readonly named: Named;
  /** The id that an application wrote into them, and its key, else that of a CloudEvent. */
  readonly ownId?: string | null;
  readonly ownKey?: string | undefined;
  /** Of a request: the headers of the message in it, which may be attributes of a CloudEvent. */
  readonly attributes?: Named;
  /** Headers that an application wrote about a failure. */
  readonly own?: ReadonlyMap<string, HeaderValue> | undefined;
  /** RabbitMQ's first dead-lettering of it. */
  readonly death?: Readonly<Record<string, unknown>> | undefined;
  /** Further headers, which no signature covers: no format reads them. */
  readonly unsignedHeaders?: Headers;
  readonly facts: Partial<Facts>;
};

export type Capture = Omit<Facts, 'topicType' | 'eventType' | 'sourceKind'> &
  Pick<Message, 'body' | 'contentType' | 'headers' | 'text'> & {
    readonly eventType: string;
    readonly sourceKind: string;
    readonly payload: Payload;
    /** Members of a report and `dlo-` headers that are no facts; their values are in `metadata`. */
    readonly ignored: readonly string[];
    /** Why the body is not what its media type declares: `not JSON: position 81`. */
    readonly unread: string | null;
    /** The names of the transport and of the dead-letter format that read it. */
    readonly transport: string;
    readonly format: string | null;
  };
