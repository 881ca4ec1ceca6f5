import { isObject } from '../json/parse-json.ts';
import { sliceMembers } from '../json/slice-json.ts';
import type { Headers } from '../message/event.ts';
import { toText } from './column-values.ts';
import { type Content, textOf, toContent } from './content.ts';
import { toOwnText } from './formats/conversions.ts';
import { lastText } from './header-values.ts';
import type { ParsedInbound } from './message.ts';

/** Its attributes, with `ce-` before their names, and what its data are. */
type CloudEvent = Content & {
  readonly attributes: Readonly<Record<string, string>>;
  readonly contentType: string | null;
};

const declared = /^application\/cloudevents\b/i;

/**
 * In structured mode. Unless its media type declares it, it has only what the specification allows.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/formats/json-format.md
 */
function parseCloudEvent(content: Content, mediaType: string | null | undefined): CloudEvent | undefined {
  const { json } = content;
  if (!isObject(json) || !/^\d/.test(toText(json.specversion) ?? '')) return undefined;
  const [members] = sliceMembers(textOf(content));
  const { data = null, data_base64: _, ...others } = json;
  const told = Object.entries(others).filter(([, value]) => value !== null);
  const attributes: Record<string, string> = Object.fromEntries(
    told.map(([name, value]) => [`ce-${name}`, toOwnText(value, () => members?.get(name) ?? '')]),
  );
  const isWhole = ['specversion', 'id', 'source', 'type'].every((name) => attributes[`ce-${name}`]);
  if (!isWhole || !(declared.test(mediaType ?? '') || hasOnlyAttributes(json))) return undefined;
  const ofData = attributes['ce-datacontenttype'] || (data === null ? null : 'application/json');
  // Text in JSON has no charset of its own: its bytes are those of UTF-8.
  const contentType = 'data_base64' in json ? ofData : nameUtf8(ofData);
  if (attributes['ce-datacontenttype'] && contentType !== null)
    attributes['ce-datacontenttype'] = contentType;
  return { ...toContent(readData(json, members?.get('data'), ofData)), attributes, contentType };
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
export function describeContent(content: Content, headers: Headers) {
  const name = Object.keys(headers).findLast((each) => each.toLowerCase() === 'content-type');
  const contentType = name === undefined ? null : lastText(headers[name]);
  const attributes = parseCloudEvent(content, contentType)?.attributes;
  const isUndeclared = attributes !== undefined && !declared.test(contentType ?? '');
  return { contentType: isUndeclared ? 'application/cloudevents+json' : contentType, attributes };
}

/** A request with one in structured mode, as its sender would have sent it in binary mode. */
export function toBinary(request: ParsedInbound): ParsedInbound | undefined {
  const event = parseCloudEvent(request, request.headers['content-type']);
  if (!event) return undefined;
  const { attributes, contentType, ...content } = event;
  const headers = { ...request.headers, ...attributes, 'content-type': contentType ?? '' };
  return { ...request, ...content, headers };
}
