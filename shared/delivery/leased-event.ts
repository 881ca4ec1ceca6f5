import type { HeaderValue, Origin } from '../message/event.ts';

/** Without its message, of any size: a claim may hold a thousand. Ids are text, as bigint is no number. */
export type ClaimedEvent = Origin & {
  readonly id: string;
  /** Of an edit, the captured event in whose place it is; else its own. */
  readonly capturedId: string;
  readonly sourceKey: string | null;
  readonly traceId: string | null;
  readonly retryCount: number;
  /** The number of this delivery. */
  readonly deliveryCount: number;
  readonly maxRetries: number | null;
  readonly failureCount: number;
};

/** Read when it is delivered. */
export type Message = {
  /** `<id>.<token>`: what every redelivery carries as `dlo-event-id`. */
  readonly redelivery: string;
  /** Parts that a bridge changed on the way to capture, such as `headers.tenant`; null if none is known. */
  readonly damaged: readonly string[] | null;
  /** The exact bytes, or the text of the payload if plain SQL inserted the event without them. */
  readonly body: Buffer;
  readonly payloadEncoding: 'json' | 'text' | 'base64' | 'none';
  readonly contentType: string | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** The exact key, if `sourceKey` is only derived from it. */
  readonly sourceKeyBytes: Buffer | null;
};

/** How a row `event` has facts of its message, as SQL. */
export const messageFacts = {
  redelivery: `concat(event.id, '.', replace(event.redelivery_token::text, '-', ''))`,
  damaged: `case when jsonb_typeof(metadata -> 'damaged') = 'array' then metadata -> 'damaged' end`,
  // The JSON of plain SQL is as PostgreSQL prints it; printed_as may be any text that plain SQL set.
  bytes: String.raw`coalesce(octet_length(event.body),
    case when event.printed_as ~ '^\d{1,9} ' then split_part(event.printed_as, ' ', 1)::integer end,
    case event.payload_encoding when 'text' then octet_length(event.payload #>> '{}')
      when 'base64' then length(rtrim(event.payload #>> '{}', '=')) * 3 / 4 end,
    octet_length(event.payload::text))`,
};

export type LeasedEvent = ClaimedEvent & Message;

/** Returns the original message's key, byte for byte, or null if it had none. */
export function restoreKey({
  sourceKey: text,
  sourceKeyBytes: bytes,
}: Pick<LeasedEvent, 'sourceKey' | 'sourceKeyBytes'>): Buffer | null {
  return bytes ?? (text === null ? null : Buffer.from(text));
}
