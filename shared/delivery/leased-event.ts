import type { HeaderValue, Origin, Status } from '../events/event.ts';
import type { StoredMessage } from '../message/restore-body.ts';

/** An event that a worker holds under a lease. Ids are text: a bigint does not fit into a number. */
export type LeasedEvent = Origin &
  StoredMessage & {
    readonly id: string;
    readonly eventKey: string;
    /** `<id>.<token>`: what every redelivery carries as `dlo-event-id`. */
    readonly redelivery: string;
    /** The key and headers that a bridge changed on the way to capture, such as `headers.tenant`; null if none is known. */
    readonly damaged: readonly string[] | null;
    readonly contentType: string | null;
    readonly headers: Readonly<Record<string, HeaderValue>>;
    readonly sourceKey: string | null;
    /** The exact key, if `sourceKey` is only derived from it. */
    readonly sourceKeyBytes: Buffer | null;
    readonly traceId: string | null;
    readonly retryCount: number;
    readonly maxRetries: number | null;
    readonly failureCount: number;
    readonly status: Status;
  };

/** Returns the original message's key, byte for byte, or null if it had none. */
export function restoreKey({
  sourceKey: text,
  sourceKeyBytes: bytes,
}: Pick<LeasedEvent, 'sourceKey' | 'sourceKeyBytes'>): Buffer | null {
  return bytes ?? (text === null ? null : Buffer.from(text));
}
