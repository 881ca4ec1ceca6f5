import { isObject } from '../json/parse-json.ts';
import { sliceMembers } from '../json/slice-json.ts';
import type { Headers } from '../message/event.ts';
import { toText } from './column-values.ts';
import { type Content, decodeUtf8, toContent } from './content.ts';
import { readHeader, readJsonHeaders } from './header-values.ts';
import type { Message } from './message.ts';

/** The content is the data. */
export type CloudEvent = Content & {
  readonly attributes: Readonly<Record<string, string>>;
  readonly contentType: string | null;
};

/**
 * Structured mode. Unless its media type declares it, it has only what the specification allows.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/formats/json-format.md
 */
export function parseCloudEvent({ body, json }: Content, isDeclared = false): CloudEvent | undefined {
  if (!isObject(json) || !/^\d/.test(toText(json.specversion) ?? '')) return undefined;
  const [members] = sliceMembers(decodeUtf8(body) ?? '');
  const { data: source, data_base64: _, ...attributes } = readJsonHeaders(members);
  if (!isCloudEvent(attributes) || !(isDeclared || hasOnlyAttributes(json))) return undefined;
  const contentType =
    toText(attributes.datacontenttype) ?? (source === undefined ? null : 'application/json');
  // Text in JSON has no charset of its own: its bytes are those of UTF-8.
  const type = 'data_base64' in json ? contentType : nameUtf8(contentType);
  if (attributes.datacontenttype && type !== null) attributes.datacontenttype = type;
  return { ...toContent(readData(json, members?.get('data'), contentType)), attributes, contentType: type };
}

function nameUtf8(contentType: string | null): string | null {
  return contentType?.replace(/;[ \t]{0,9}charset="?[\w:.-]{1,40}"?/i, '; charset=utf-8') ?? null;
}

/** Any other name or value is of a message that happens to have the names of an event. */
function hasOnlyAttributes({ data: _, ...attributes }: Record<string, unknown>): boolean {
  return Object.entries(attributes).every(
    ([name, value]) =>
      name === 'data_base64' || (/^[a-z\d]+$/.test(name) && (typeof value !== 'object' || value === null)),
  );
}

function isCloudEvent(attributes: Readonly<Record<string, string>>): boolean {
  return ['specversion', 'id', 'source', 'type'].every((name) => attributes[name]);
}

/** JSON data is kept as written, digit for digit; a string under another content type is decoded. */
function readData(json: Record<string, unknown>, source: string | undefined, contentType: string | null) {
  const { data, data_base64: base64 } = json;
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  const isText = typeof data === 'string' && data.isWellFormed() && !/json/i.test(contentType ?? 'json');
  return Buffer.from(isText ? data : (source ?? ''));
}

/**
 * A CloudEvent in structured mode is kept as it is, because its consumer reads these bytes: its attributes
 * are described as headers, for the identity of the same event in binary mode.
 * https://github.com/googleapis/google-cloudevents/blob/main/docs/spec/pubsub.md
 */
export function describeContent(content: Content, headers: Headers): Omit<Message, 'facts'> {
  const contentType = readHeader(headers, 'content-type');
  const isDeclared = /^application\/cloudevents\b/i.test(contentType ?? '');
  const event = parseCloudEvent(content, isDeclared);
  if (!event) return { ...content, contentType, headers };
  const own = Object.entries(event.attributes).map(([name, value]) => [`ce-${name}`, value]);
  return {
    ...content,
    contentType: isDeclared ? contentType : 'application/cloudevents+json',
    headers,
    attributes: Object.fromEntries(own),
  };
}
