import { readerOf, readJsonHeaders } from './header-value.ts';
import { sliceMembers } from './json-source.ts';
import type { Message } from './message.ts';
import { decodeUtf8, isObject, parseBody, toFact } from './text.ts';

export type CloudEvent = {
  readonly attributes: Readonly<Record<string, string>>;
  readonly data: Buffer;
  readonly contentType: string | null;
};

/**
 * The CloudEvent that a body is in JSON, whatever it was sent as, or undefined.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/formats/json-format.md
 */
export function parseCloudEvent(body: Buffer): CloudEvent | undefined {
  const json = parseBody(body);
  if (!isObject(json) || !/^\d/.test(toFact(json.specversion) ?? '')) return undefined;
  const [members] = sliceMembers(decodeUtf8(body) ?? '');
  const { data: source, data_base64: _, ...attributes } = readJsonHeaders(members);
  if (!isCloudEvent(attributes)) return undefined;
  const contentType =
    toFact(attributes.datacontenttype) ?? (source === undefined ? null : 'application/json');
  const data = readData(json, members?.get('data'), contentType);
  return { attributes, data, contentType };
}

export function isCloudEvent(attributes: Readonly<Record<string, string>>): boolean {
  return ['specversion', 'id', 'source', 'type'].every((name) => attributes[name]);
}

/** JSON data is taken as it was written, digit for digit; a string under another content type is that text. */
function readData(json: Record<string, unknown>, source: string | undefined, contentType: string | null) {
  const { data, data_base64: base64 } = json;
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  const isText = typeof data === 'string' && data.isWellFormed() && !/json/i.test(contentType ?? 'json');
  return Buffer.from(isText ? data : (source ?? ''));
}

/** Reads the attributes of the CloudEvent that a message is: plain where it came as one, else marked by its broker. */
export function readerOfCloudEvent({ headers, facts }: Message): (name: string) => string | null {
  const told = readerOf(headers);
  if (facts.sourceKind === 'cloudevents') return told;
  return (name) => told(`ce-${name}`) ?? told(`ce_${name}`);
}
