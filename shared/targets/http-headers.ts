import type { HeaderValue, LeasedEvent } from '../events.ts';

/**
 * Names that an event may not bring to a target: they belong to the connection, or they would let an event speak
 * with an identity or an origin that it does not have.
 */
const withheld =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|content-length|expect|authorization|cookie|forwarded|proxy-.*|x-forwarded-.*|x-goog-.*|x-serverless-.*|dlo-.*)$/i;
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** The headers of the original message as HTTP can carry them, its content type included; repeats are kept. */
export function restoreHeaders(
  event: Pick<LeasedEvent, 'headers' | 'content_type' | 'payload_encoding'>,
): [name: string, value: string][] {
  const isCloudEvent = 'specversion' in event.headers;
  const restored = Object.entries(event.headers).flatMap(([name, value]) =>
    isCloudEvent ? restoreAttribute(name, value) : restoreHeader(name, value),
  );
  const contentType =
    event.content_type ?? (event.payload_encoding === 'json' ? 'application/json' : undefined);
  if (contentType === undefined || restored.some(([name]) => /^content-type$/i.test(name))) return restored;
  return [...restored, ['content-type', toFieldValue(contentType)]];
}

function restoreHeader(name: string, value: HeaderValue): [string, string][] {
  if (!token.test(name) || withheld.test(name)) return [];
  return listValues(value).map((text) => [name, toFieldValue(text)]);
}

/** The attributes of a CloudEvent are stored under their own names; HTTP marks them (HTTP binding 1.0.2, 3.1.3). */
function restoreAttribute(name: string, value: HeaderValue): [string, string][] {
  // It is the content type, which HTTP has a header of its own for (3.1.1).
  if (!token.test(name) || name === 'datacontenttype') return [];
  return listValues(value).map((text) => [
    `ce-${name}`,
    text.replaceAll(/[\s"%]|[^\x21-\x7e]/gu, encodeURIComponent),
  ]);
}

function listValues(value: HeaderValue): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => (typeof each === 'string' ? each : each.base64));
}

/** A field value is bytes: text goes as UTF-8, and what would end the field goes percent-encoded. */
function toFieldValue(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out of a header
  const encoded = text.replaceAll(/[\x00-\x08\x0a-\x1f\x7f]/g, encodeURIComponent);
  return Buffer.from(encoded, 'utf8').toString('latin1');
}
