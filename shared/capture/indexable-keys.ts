import { toStorableText } from '../database/storable-text.ts';
import type { Facts } from './facts.ts';
import { digest } from './identity.ts';

/**
 * An ordering key that has to be changed for the index keeps its bytes in a second column, unless a bridge
 * lost bytes of it: what is left is not the key of the message. Only if it is too long for the index is it
 * kept there nevertheless.
 */
export function toIndexableSourceKey(
  { sourceKey, sourceKeyBase64 }: Pick<Facts, 'sourceKey' | 'sourceKeyBase64'>,
  isBridged: boolean,
) {
  const indexable = sourceKey === null ? null : toIndexableKey(sourceKey);
  if (sourceKey === null || indexable === sourceKey) return { sourceKey, sourceKeyBase64 };
  const isLost = isBridged && sourceKey.includes('\uFFFD');
  if (isLost && !isTooLong(sourceKey)) return { sourceKey: indexable, sourceKeyBase64: null };
  return {
    sourceKey: indexable,
    sourceKeyBase64: sourceKeyBase64 ?? Buffer.from(sourceKey).toString('base64'),
  };
}

/**
 * An index entry has at most some 2,700 bytes; ids that senders choose may be longer, and hold any character.
 */
function toIndexableKey(key: string): string {
  return toStorableText(isTooLong(key) ? `${key.slice(0, 200)}~${digest(key)}` : key);
}

/** The key of a message: an @ separates it from its consumer. */
export function toMessageKey(key: string): string {
  return toIndexableKey(key.replaceAll('%', '%25').replaceAll('@', '%40'));
}

function isTooLong(key: string): boolean {
  return Buffer.byteLength(key) > 1000;
}
