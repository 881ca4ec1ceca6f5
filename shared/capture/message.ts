import type { Headers, HeaderValue } from '../message/event.ts';
import type { PrintedAs } from '../message/printed-message.ts';
import type { Content } from './content.ts';
import type { Facts } from './facts.ts';
import type { SourceRecord } from './sources/source.ts';

/** A source with the fields of its preset. */
export type Source = SourceRecord & {
  /** What it says of a message. `isAlone`: its request has no other one, which the headers could name. */
  readonly declare: (message: Message, sent: Sent, isAlone: boolean) => Partial<Facts>;
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

export type ParsedInbound = Inbound & Content;

/** What says something of a message beside its body. */
export type Sent = Pick<Inbound, 'headers' | 'path' | 'query'>;

/** A failed message without its transport, and the facts that the transport reported. */
export type Message = Content & {
  readonly contentType: string | null;
  /** Attributes or headers of the message itself, not of the transport. */
  readonly headers: Headers;
  /** The attributes of the CloudEvent that its content is: formats read them as headers. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Further headers, which no signature covers: no format reads them. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>;
  /** The JSON text of bytes in another charset, or behind a byte-order mark. */
  readonly text?: string;
  readonly facts: Partial<Facts>;
};

/** Headers by their names in lower case. */
export type Named = Pick<ReadonlyMap<string, HeaderValue>, 'get' | 'size'>;

export type Opened = {
  readonly message: Message;
  readonly named: Named;
  /** Those that may be attributes of a CloudEvent, of the message that a request brings. */
  readonly attributes?: Named;
  /** Those that an application wrote about a failure. */
  readonly own?: ReadonlyMap<string, HeaderValue> | undefined;
  readonly sent?: Sent;
};

/** The facts of a dead-letter format, and what it takes out of the message. */
export type Failure = Partial<Facts & Pick<Message, 'body' | 'contentType' | 'headers'>>;

export type Capture = Omit<Facts, 'topicType' | 'eventType' | 'sourceKind'> &
  Omit<Message, 'facts' | 'json' | 'attributes' | 'unsignedHeaders'> & {
    readonly eventType: string;
    readonly sourceKind: string;
    readonly isJson: boolean;
    /** Members of a report and `dlo-` headers that are no facts; their values are in `metadata`. */
    readonly ignored: readonly string[];
    /** Why the body is not what its media type declares: `not JSON: position 81`. */
    readonly unread: string | null;
    /** How its bytes are printed from its JSON; null if they have to be stored. */
    readonly printedAs: PrintedAs | null;
    /** The names of the transport and of the dead-letter format that read it. */
    readonly transport: string;
    readonly format: string | null;
  };
