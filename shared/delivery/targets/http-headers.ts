import type { HeaderValue } from '../../events/event.ts';
import type { LeasedEvent } from '../leased-event.ts';
import { isAttribute, type KeyedHeaders, listMessageHeaders } from './message-headers.ts';
import { isWithheld } from './withheld-headers.ts';

/**
 * Returns the original message's headers, content type included, as HTTP can carry them. Repeats are kept.
 */
export function restoreHeaders(
  event: KeyedHeaders & Pick<LeasedEvent, 'contentType' | 'payloadEncoding'>,
): [name: string, value: string][] {
  const isCloudEvent = 'specversion' in event.headers;
  const restored = listMessageHeaders(event).flatMap(([name, value]) =>
    isCloudEvent ? restoreAttribute(name, value) : restoreHeader(name, value),
  );
  const contentType =
    event.contentType ?? (event.payloadEncoding === 'json' ? 'application/json' : undefined);
  if (contentType === undefined || restored.some(([name]) => /^content-type$/i.test(name))) return restored;
  return [...restored, ['content-type', toFieldValue(contentType)]];
}

/** Whether HTTP can carry a header of this name. */
export function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
}

function restoreHeader(name: string, value: HeaderValue): [string, string][] {
  if (!isToken(name) || isWithheld(name)) return [];
  return listValues(value).map((text) => [name, toFieldValue(text)]);
}

/** CloudEvents attributes are stored without a prefix; HTTP adds `ce-` (HTTP binding 1.0.2, 3.1.3). */
function restoreAttribute(name: string, value: HeaderValue): [string, string][] {
  // HTTP sends it as the Content-Type header (3.1.1).
  if (!isToken(name) || name === 'datacontenttype') return [];
  if (!isAttribute(name)) return restoreHeader(name, value);
  return listValues(value).map((text) => [
    `ce-${name}`,
    text.replaceAll(/[\s"%]|[^\x21-\x7e]/gu, encodeURIComponent),
  ]);
}

function listValues(value: HeaderValue): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => (typeof each === 'string' ? each : each.base64));
}

/** A field value is bytes: text is sent as UTF-8, control characters are percent-encoded. */
function toFieldValue(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out of a header
  const encoded = text.replaceAll(/[\x00-\x08\x0a-\x1f\x7f]/g, encodeURIComponent);
  return Buffer.from(encoded, 'utf8').toString('latin1');
}
