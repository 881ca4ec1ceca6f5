import { fromEntries } from '../header-texts.ts';
import type { Headers, MessageFacts, SingleValue } from '../message-facts.ts';
import { readPush } from './pubsub-push.ts';

/** A request that carries a message: header names in lower case. */
export type HttpMessage = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes, if the framework kept them. */
  readonly rawBody: Uint8Array | undefined;
  /** The body as the framework parsed it. */
  readonly body: unknown;
};

/**
 * Headers of the connection, of proxies and of HTTP clients, credentials, and the media type: no headers of
 * the message.
 */
const hop =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-(length|type)|user-agent|accept(-.*)?|via|forwarded|x-forwarded-.*|x-real-ip|x-cloud-trace-context|traceparent|tracestate|sec-.*|(proxy-)?authorization|cookie|x-serverless-authorization|x-goog-iap-.*)$/;

/** Reads the message of a wrapped push of Pub/Sub; of any other request the body is the message. */
export function readHttpMessage(message: HttpMessage): MessageFacts {
  const { headers, rawBody, body } = message;
  const push = readPush(parseIfBytes(body ?? rawBody));
  if (push) return push;
  const own = readMessageHeaders(headers);
  return {
    body: rawBody ?? toBytes(message),
    headers: own,
    contentType: asText(headers['content-type']),
    traceparent: asText(headers.traceparent),
    source: { kind: 'http' },
  };
}

/** The headers of the sender, without those of the connection. */
export function readMessageHeaders(headers: HttpMessage['headers']): Headers {
  const entries = Object.entries(headers).flatMap(([name, value]): (readonly [string, SingleValue])[] => {
    if (value === undefined || hop.test(name)) return [];
    return [value].flat().map((each) => [name, each] as const);
  });
  return fromEntries(entries);
}

/**
 * JSON that was parsed is printed again. Throws for a body whose bytes are gone otherwise: it must not be stored
 * as an empty message.
 */
function toBytes({ headers, body }: HttpMessage): Uint8Array | string {
  if (body instanceof Uint8Array || typeof body === 'string') return body;
  if (body !== undefined && /\bjson\b/.test(asText(headers['content-type']) ?? ''))
    return JSON.stringify(body);
  if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) return '';
  throw new Error('The framework kept no bytes of the request: with Express, use express.raw().');
}

function parseIfBytes(body: unknown): unknown {
  if (!(body instanceof Uint8Array) && typeof body !== 'string') return body;
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

function asText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.at(-1);
}
