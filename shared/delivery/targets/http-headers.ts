import { isUtf8 } from 'node:buffer';
import type { HeaderValue } from '../../message/event.ts';
import type { LeasedEvent } from '../leased-event.ts';
import { findAttributes, type KeyedHeaders, listBytes, listMessageHeaders } from './message-headers.ts';
import { isWithheld } from './withheld-headers.ts';

/** A header of a message as HTTP carries it. `note`: what happens to it, if it is not sent as it came. */
export type PlannedHeader = {
  readonly name: string;
  readonly values: readonly string[];
  readonly note?: 'unnamed' | 'withheld' | 'encoded';
};

type Restorable = KeyedHeaders & Pick<LeasedEvent, 'contentType' | 'payloadEncoding'>;

/**
 * Returns the original message's headers, content type included, as HTTP can carry them. Repeats are kept.
 */
export function restoreHeaders(
  event: Restorable,
  allowed: readonly string[] = [],
  planned = planHeaders(event, allowed),
): [name: string, value: string][] {
  const restored = planned
    .filter(({ note }) => note === undefined || note === 'encoded')
    .flatMap(({ name, values }) => values.map((value): [string, string] => [name, value]));
  const contentType = findContentType(event);
  if (contentType === undefined || restored.some(([name]) => /^content-type$/i.test(name))) return restored;
  return [...restored, ['content-type', encodeField(Buffer.from(contentType))]];
}

/**
 * Says of each header of the message how it is sent. `allowed`: names in lower case that are not withheld.
 */
export function planHeaders(event: Restorable, allowed: readonly string[] = []): PlannedHeader[] {
  const attributeOf = findAttributes(event.headers);
  // A CloudEvent whose sender may have called it JSON.
  const isStructured = /^application\/cloudevents\b/i.test(event.contentType ?? '');
  return listMessageHeaders(event).flatMap(([name, value]) => {
    const attribute = attributeOf(name);
    // HTTP sends it as the Content-Type header (HTTP binding 1.0.2, 3.1.1).
    if (attribute === 'datacontenttype') return [];
    if (isStructured && /^content-type$/i.test(name)) return [];
    if (attribute !== undefined) return [planAttribute(attribute, value)];
    return [planHeader(name, value, allowed)];
  });
}

/** CloudEvents attributes have the prefix `ce-`, and are percent-encoded (HTTP binding 1.0.2, 3.1.3). */
function planAttribute(attribute: string, value: HeaderValue): PlannedHeader {
  const encode = (text: string) => text.replaceAll(/[\s"%]|[^\x21-\x7e]/gu, encodeURIComponent);
  const values = listBytes(value).map((bytes) => encode(bytes.toString()));
  return { name: `ce-${attribute}`, values, ...(!isToken(attribute) && { note: 'unnamed' }) };
}

function planHeader(name: string, value: HeaderValue, allowed: readonly string[]): PlannedHeader {
  if (!isToken(name)) return { name, values: [], note: 'unnamed' };
  if (isWithheld(name) && !allowed.includes(name.toLowerCase()))
    return { name, values: [], note: 'withheld' };
  const all = listBytes(value);
  const values = all.map(encodeField);
  const isChanged = values.some((text, i) => text !== all[i]?.toString('latin1'));
  return { name, values, ...(isChanged && { note: 'encoded' }) };
}

/** Whether HTTP can carry a header of this name. */
function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
}

function findContentType({ contentType, payloadEncoding, headers }: Restorable): string | undefined {
  if (contentType !== null) return contentType;
  const declared = headers['ce-datacontenttype'] ?? headers.ce_datacontenttype;
  if (typeof declared === 'string') return declared;
  return payloadEncoding === 'json' ? 'application/json' : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out of a header
const controls = /[\x00-\x08\x0a-\x1f\x7f]/g;
/** Servers remove them. The lookbehind keeps the search linear. */
const outerSpaces = /^[\t ]+|(?<![\t ])[\t ]+$/g;

/**
 * A field value, one character for each byte. Bytes are sent as they are, UTF-8 or not. Control characters
 * and outer spaces of text are percent-encoded, and other bytes with these are sent as base64.
 */
function encodeField(bytes: Buffer): string {
  const field = bytes.toString('latin1');
  const encoded = field.replaceAll(controls, encodeURIComponent).replaceAll(outerSpaces, encodeURIComponent);
  return encoded === field || isUtf8(bytes) ? encoded : bytes.toString('base64');
}
