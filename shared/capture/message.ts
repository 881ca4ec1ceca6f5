import type { Headers, HeaderValue } from '../message/event.ts';
import {
  findTraceId,
  toBigCount,
  toCount,
  toDate,
  toErrorKind,
  toPriority,
  toRetryAfter,
  toText,
  toZonedDate,
} from './column-values.ts';
import type { Content } from './content.ts';
import type { Payload } from './payload.ts';
import type { SourceRecord } from './sources/source.ts';

/**
 * Who speaks: null for the message itself, `report` for its consumer, who may reprint it, `bridge` for a copy
 * with a key or headers that a bridge may have changed.
 */
export type Origin = 'report' | 'bridge' | null;

/** The member of dlq_captured, how it is read from any value, its paths in a report, its header. */
export const facts = {
  /** The most specific id of the message, without its consumer. */
  eventKey: ['message_key', toText],
  /** The consumer that failed: one message that fails in two consumers is two failures. */
  consumer: ['consumer', toText],
  /** A claim: the statement that stores the capture verifies it. */
  redelivery: ['redelivery', toText],
  /** The `dlo-attempt` of that redelivery. */
  attempt: ['attempt', toCount],
  /** The id of this arrival, by which its transport or its sender repeats it. */
  deliveryId: ['delivery_id', toText],
  origin: ['origin', (value: unknown) => value as Origin],
  /** The publication that failed, from `toPublication`. */
  publication: ['publication', toText],
  /** When it failed: at the consumer, or when the broker gave up. */
  failedAt: ['failed_at', toZonedDate, 'failedAt'],
  eventType: ['event_type', toText, 'eventType', 'dlo-event-type'],
  eventId: ['event_id', toText, 'eventId', 'dlo-event-id'],
  errorReason: ['error_reason', toText, 'error.message | error', 'dlo-error-reason'],
  errorClass: ['error_class', toText, 'error.class | error.name | error.type', 'dlo-error-class'],
  errorStacktrace: ['error_stacktrace', toText, 'error.stack | error.stacktrace'],
  /** The decisions of the consumer. Seconds count from the capture. */
  errorKind: ['error_kind', toErrorKind, 'error.kind', 'dlo-error-kind'],
  retryAfter: ['retry_after', toRetryAfter, 'retryAfter', 'dlo-retry-after'],
  maxRetries: ['max_retries', toCount, 'maxRetries', 'dlo-max-retries'],
  priority: ['priority', toPriority, 'priority', 'dlo-priority'],
  sourceKind: ['source_kind', toText, 'source.kind'],
  sourceTopic: ['source_topic', toText, 'source.topic', 'dlo-topic'],
  sourcePartition: ['source_partition', toCount, 'source.partition'],
  sourceOffset: ['source_offset', toBigCount, 'source.offset'],
  sourceKey: ['source_key', toText, 'source.key', 'dlo-key'],
  /** The exact bytes of the key, in base64, if they are not those of its text. */
  sourceKeyBase64: ['source_key_bytes', toText],
  sourceSubscription: ['source_subscription', toText, 'source.subscription'],
  consumerGroup: ['consumer_group', toText, 'source.consumerGroup | source.group', 'dlo-consumer-group'],
  sourceAttempts: ['source_attempts', toCount, 'source.attempts'],
  traceId: ['trace_id', (value: unknown) => findTraceId(value), 'traceparent'],
  occurredAt: ['occurred_at', toDate, 'occurredAt'],
  metadata: ['metadata', (value: unknown) => value as Readonly<Record<string, unknown>> | null],
} as const satisfies Record<string, FactOf>;

type FactOf = readonly [column: string, read: (value: unknown) => unknown, report?: string, header?: string];

export type FactName = keyof typeof facts;

export const factList = Object.entries(facts) as readonly (readonly [FactName, FactOf])[];

/** The facts of a message. Null: not told. */
export type Facts = { readonly [Name in FactName]: ReturnType<(typeof facts)[Name][1]> } & {
  readonly eventKey: string;
  /** The type where nothing tells one: the name of a topic. */
  readonly topicType: string | null;
};

/** What applications write into headers, whatever the broker. */
export type HeaderFacts = Pick<Facts, 'eventId' | 'eventType' | 'traceId'> & Partial<Pick<Facts, 'eventKey'>>;

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
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that the signature of the request does not cover: kept with the message, never read. */
  readonly unsignedHeaders?: Readonly<Record<string, string>> | undefined;
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

/** A request with the value of its body, or one element of a batch. */
export type ParsedInbound = Inbound & Content;

/** Headers by their names in lower case. */
export type Named = Pick<ReadonlyMap<string, HeaderValue>, 'get' | 'size'>;

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
  /** What applications wrote into them. */
  readonly known: HeaderFacts;
  /** Of a request: the headers of the message in it, which may be attributes of a CloudEvent. */
  readonly attributes?: Named;
  /** Headers that an application wrote about a failure. */
  readonly own?: ReadonlyMap<string, HeaderValue> | undefined;
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
