import type { LeasedEvent } from '../leased-event.ts';

/** Returns the original message's key, byte for byte, or null if it had none. */
export function restoreKey({ sourceKey: text, sourceKeyBytes: bytes }: LeasedEvent): Buffer | null {
  return bytes ?? (text === null ? null : Buffer.from(text));
}
