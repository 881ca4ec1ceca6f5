import { isObject } from '../json/parse-json.ts';
import { sliceMembers } from '../json/slice-json.ts';
import { type Content, decodeBase64, isJsonType, toContent, utf8Of } from './content.ts';
import { toOwnText } from './formats/conversions.ts';
import type { ParsedInbound } from './message.ts';
import { findDeclared } from './sources/source.ts';

/**
 * In structured mode: its data, and its attributes with `ce-` before their names. Unless its media type
 * declares it, it has only what the specification allows.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/formats/json-format.md
 */
function parseCloudEvent(content: Content, mediaType: string | null | undefined) {
  const { json } = content;
  if (!isObject(json) || !/^\d/.test(String(json.specversion))) return undefined;
  const members = sliceMembers(utf8Of(content));
  const { data = null, data_base64: base64 = null, ...others } = json;
  const told = Object.entries(others).filter(([, value]) => value !== null);
  const attributes: Record<string, string> = Object.fromEntries(
    told.map(([name, value]) => [`ce-${name}`, toOwnText(value, () => String(members.get(name)))]),
  );
  const isWhole = ['specversion', 'id', 'source', 'type'].every((name) => attributes[`ce-${name}`]);
  // Names that differ only in case are one header, and equal ones one member.
  const isClear =
    new Set(told.map(([name]) => name.toLowerCase())).size === told.length &&
    members.size === Object.keys(json).length;
  // Any other name or value is of a message that happens to have the names of an event.
  const isOnly = told.every(([name, value]) => /^[a-z\d]+$/.test(name) && typeof value !== 'object');
  const isOne = isOnly || findDeclared(mediaType) === 'cloudevents';
  const ofData = attributes['ce-datacontenttype'] || (data === null ? null : 'application/json');
  const body = isWhole && isClear && isOne ? readData(json, members.get('data'), ofData) : undefined;
  if (body === undefined) return undefined;
  // Text in JSON has no charset of its own: its bytes are those of UTF-8.
  const ofText = ofData?.replace(/;[ \t]{0,9}charset="?[\w:.-]{1,40}"?/i, '; charset=utf-8') ?? null;
  const contentType = base64 === null ? ofText : ofData;
  return { ...toContent(body), attributes, contentType };
}

/**
 * JSON data is kept as written, digit for digit; a string under another content type is decoded. Undefined
 * for what would be lost: base64 that is none, or data of both kinds.
 */
function readData(json: Record<string, unknown>, source: Buffer | undefined, contentType: string | null) {
  const { data, data_base64: base64 } = json;
  if ((base64 ?? null) !== null)
    return typeof base64 === 'string' && (data ?? null) === null ? decodeBase64(base64) : undefined;
  const isText = typeof data === 'string' && data.isWellFormed() && !isJsonType.test(contentType ?? '/json');
  return isText ? Buffer.from(data) : (source ?? Buffer.alloc(0));
}

/**
 * A CloudEvent in structured mode is kept as it is, because its consumer reads these bytes: its attributes
 * are described as headers, for the identity of the same event in binary mode.
 * https://github.com/googleapis/google-cloudevents/blob/main/docs/spec/pubsub.md
 */
export function describeContent(content: Content, contentType: string | null) {
  const attributes = parseCloudEvent(content, contentType)?.attributes;
  const isDeclared = findDeclared(contentType) === 'cloudevents';
  return attributes && { attributes, contentType: isDeclared ? contentType : 'application/cloudevents+json' };
}

/** A request with one in structured mode, as its sender would have sent it in binary mode. */
export function toBinary(request: ParsedInbound): ParsedInbound | undefined {
  const { 'ce-specversion': version, 'content-type': type } = request.headers;
  const event = version === undefined ? parseCloudEvent(request, type) : undefined;
  // Without data, a body that nobody declares would become an empty one.
  if (!event || (event.body.length === 0 && findDeclared(type) === undefined)) return undefined;
  const { attributes, contentType, ...content } = event;
  // In binary mode it is the media type alone.
  delete attributes['ce-datacontenttype'];
  const headers = { ...request.headers, ...attributes, 'content-type': contentType ?? '' };
  return { ...request, ...content, headers };
}
