import type { LeasedEvent } from '../events.ts';

/** The key that the message had, byte for byte, or null where it had none. */
export function restoreKey({ source_key: text, source_key_bytes: bytes }: LeasedEvent): Buffer | null {
  return bytes ?? (text === null ? null : Buffer.from(text));
}
