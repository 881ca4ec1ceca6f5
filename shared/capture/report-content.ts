import { decodeAnyBase64 } from './decode-bytes.ts';
import type { Members } from './json-members.ts';

/**
 * The message: the bytes of `payloadBase64`, else `payload` as written, because parsing and printing it would
 * change large numbers, else the text of `payloadBase64`, if that is not base64. `used` names the members
 * that it came from.
 */
export function readContent(members: Members): {
  readonly body: Buffer;
  readonly used: readonly string[];
} {
  const [payload, encoded] = [members.get('payload'), members.get('payloadBase64')];
  const text = typeof encoded?.value === 'string' ? encoded.value : undefined;
  const bytes = text === undefined ? undefined : decodeAnyBase64(text);
  if (bytes) {
    const isSame = payload?.value === null || payload?.source === bytes.toString();
    return { body: bytes, used: isSame ? ['payload', 'payloadBase64'] : ['payloadBase64'] };
  }
  if (payload) return { body: Buffer.from(payload.source), used: ['payload'] };
  if (!encoded || text === undefined) return { body: Buffer.alloc(0), used: [] };
  // UTF-8 cannot encode a lone surrogate; its escape in the JSON text can be kept.
  return { body: Buffer.from(text.isWellFormed() ? text : encoded.source), used: ['payloadBase64'] };
}
