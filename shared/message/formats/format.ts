/**
 * Where a fact is: `header:NAME`, `newest:NAME` whose first value is the latest hop's, `json:/POINTER`,
 * `form:/FIELD/POINTER` in the JSON of a form's field, `query:NAME`, `path:topic` or `path:key`,
 * `ce:ATTRIBUTE` of a CloudEvent, `death:/POINTER` in RabbitMQ's first dead-lettering, `own:NAME` of the headers
 * that an application wrote about a failure, `record:FACT` of a Kafka record as received, `transport:FACT`,
 * `code:NAME` of a function, or `text:TEXT`. A place without a colon is below `under` of its format. `A | B`:
 * the first that has a value. `A as NAME`: converted. In a pointer, `-1` is the last element of a list.
 */
export type Place = string;

/** Several have their texts joined; null: there is none, whatever the transport reports. */
export type Places = Place | readonly Place[] | null;

/** `filled`: a text or an object that is not empty. A pattern: a text that matches, and no empty one. */
export type Check =
  | ('text' | 'none' | 'there' | 'filled' | 'object' | 'list' | 'count' | 'date' | 'boolean')
  | RegExp;

/** What a record may say the place of. Without `identity` it is that of `id`. */
export const facts = [
  ...['identity', 'delivery', 'id', 'type', 'topicType', 'class', 'reason', 'stack'],
  ...['topic', 'partition', 'offset', 'key', 'subscription', 'consumer', 'scope'],
  ...['attempts', 'time', 'published', 'failedAt', 'trace', 'contentType', 'body', 'origin'],
  ...['sourceKind', 'errorKind', 'retryAfter', 'maxRetries', 'priority'],
] as const;

export type Fact = (typeof facts)[number];

export type Format = Partial<Readonly<Record<Fact, Places | undefined>>> & {
  /** Answers and logs call it so. Records of one name are variants of one format. */
  readonly name: string;
  /** Its documentation, or the code that writes it. */
  readonly source: string;
  /**
   * `transport`: a request that brings a message. `kafka`: a record whose software appends or replaces
   * headers at each hop. `headers`: the transport's facts hold where the record names none. `webhook`: they
   * come before those of the record, and the body is the message, whole.
   */
  readonly of: 'transport' | 'kafka' | 'headers' | 'webhook';
  /** The kind of the source: the name, if it has none. Null: that of the transport. */
  readonly kind?: string | null;
  /** The beginning of the event key, `SCHEME:IDENTITY`: the kind, if it has none. */
  readonly scheme?: string;
  readonly under?: string;
  /** All must hold. A record without any is recognized by a header that it omits, or by a source. */
  readonly when?: Readonly<Record<Place, Check>>;
  /** The objects at these pointers have only members at which the record has a place, and these. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
  readonly position?: readonly [topic: Place, partition: Place, offset: Place];
  /** Without a whole position, it has that of the record as received, and its time. */
  readonly isOfRecord?: boolean;
  readonly error?: readonly [errorClass: Places, reason: Places, stack: Places];
  readonly metadata?: Readonly<Record<string, Place>>;
  /** Values by name or in a list, or the beginning of names, `NAME*`. Without it: those of the request. */
  readonly headers?: Place;
  /** Headers about the failure, left out of a redelivery if those of `when` are there. */
  readonly omit?: RegExp;
  /** Whether an array is split, of a webhook. */
  readonly split?: boolean | undefined;
  /** Why it has a place `code:NAME`. */
  readonly code?: string;
  /** For docs/capture.md: what the record was written from, if not its source, and what to know about it. */
  readonly seen?: string;
  readonly note?: string;
};

export type FormatRecord = Omit<Format, 'of'>;

export function complete(usual: Pick<Format, 'of'> & Partial<Format>, records: readonly FormatRecord[]) {
  return records.map((record): Format => ({ ...usual, ...record }));
}
