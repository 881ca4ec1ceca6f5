import { isUtf8 } from 'node:buffer';
import { isCredential, toUsualName } from '../../message/credential-headers.ts';
import type { HeaderValue } from '../../message/event.ts';
import type { LeasedEvent } from '../leased-event.ts';
import { type KeyedHeaders, listBytes, listMessageHeaders } from './message-headers.ts';

/** Without values it is not sent. `note`: what happens to a header that is not sent as it came. */
export type PlannedHeader = {
  readonly name: string;
  readonly values: readonly string[];
  readonly note?: 'unnamed' | 'withheld' | 'encoded';
};

type Restorable = KeyedHeaders & Pick<LeasedEvent, 'contentType' | 'payloadEncoding'>;

/** The headers of the message, content type included. Repeats are kept. */
export function restoreHeaders(
  event: Restorable,
  planned = planHeaders(event),
): [name: string, value: string][] {
  const restored = planned.flatMap(({ name, values }) =>
    values.map((value): [string, string] => [name, value]),
  );
  const contentType = findContentType(event);
  if (contentType === undefined || restored.some(([name]) => /^content-type$/i.test(name))) return restored;
  return [...restored, ['content-type', encodeField(Buffer.from(contentType))]];
}

/** `allowed`: names in lower case that are not withheld. */
export function planHeaders(event: Restorable, allowed: readonly string[] = []): PlannedHeader[] {
  // A CloudEvent whose sender may have called it JSON.
  const isStructured = /^application\/cloudevents\b/i.test(event.contentType ?? '');
  return listMessageHeaders(event).flatMap(({ name, value, attribute }) => {
    // HTTP sends it as the Content-Type header (HTTP binding 1.0.2, 3.1.1).
    if (attribute === 'datacontenttype') return [];
    if (isStructured && /^content-type$/i.test(name)) return [];
    return [attribute === undefined ? planHeader(name, value, allowed) : planAttribute(attribute, value)];
  });
}

/** CloudEvents attributes have the prefix `ce-`, and are percent-encoded (HTTP binding 1.0.2, 3.1.3). */
function planAttribute(attribute: string, value: HeaderValue): PlannedHeader {
  const name = `ce-${attribute}`;
  if (!isToken(attribute)) return { name, values: [], note: 'unnamed' };
  const encode = (text: string) => text.replaceAll(/[\s"%]|[^\x21-\x7e]/gu, encodeURIComponent);
  return { name, values: listBytes(value).map((bytes) => encode(bytes.toString())) };
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

/** Controls and outer spaces of text are percent-encoded; other bytes with these are sent as base64. */
function encodeField(bytes: Buffer): string {
  const field = bytes.toString('latin1');
  const encoded = field.replaceAll(controls, encodeURIComponent).replaceAll(outerSpaces, encodeURIComponent);
  return encoded === field || isUtf8(bytes) ? encoded : bytes.toString('base64');
}

/**
 * Names of headers that an event never brings to a target, in lower case with hyphens: a server, a proxy or a
 * platform gives them a meaning, so that an event could claim a connection, an identity, an origin or a route
 * that it does not have. All other headers are sent, whatever they say.
 */
const withheld: readonly RegExp[] = [
  // The connection and its message.
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|content-length|accept-encoding|expect|via|max-forwards)$/,
  /^(proxy-.*|http2-settings|alt-used|early-data|if-(match|none-match|modified-since|unmodified-since|range))$/,
  // Identities that a proxy has verified: by what they are called, and by the name of the proxy.
  /(^|-)(auth-request|authenticated|webauth|oidc|saml|iap|userinfo|client-principal)(-|$)/,
  /(^|-)(client-?cert|ssl-client|tls-client)(-|$)/,
  /^(x-)?(remote-(user|group|name|addr|ip|host)|impersonate|authentik|vouch|pomerium|authelia|tailscale)(-.*)?$|^(shib|sm|iv)-.*$/,
  /^(eppn|persistent-id|x-(auth|ssl|ms-token|hasura|credential)(-.*)?|x-consumer-(id|username|custom-id|groups))$/,
  /^(x-anonymous-consumer|x-scope-orgid|ocp-apim-.*|wl-proxy-.*|l5d-.*)$/,
  // Where a request comes from.
  /^(origin|referer|sec-.*|access-control-.*|x-requested-with|forwarded|x-scheme|x-url-scheme|front-end-https)$/,
  /(^|-)((real|client|connecting|originating|proxyuser)-ip(v6)?|forwarded(-.*)?|proxied-for|true-client-.*)$/,
  // Where it goes, and by which method.
  /^(x-original-(url|uri|host|method|proto|scheme|remote-.*)|x-rewrite-.*|x-host|x-http-host-override)$/,
  /^(x-(http-)?method(-override)?|x-middleware-.*|x-invoke-.*|x-matched-path|x-nextjs-.*|x-accel-.*|x-sendfile.*)$/,
  // Platforms, and meshes on them.
  /^(x-(appengine|serverless|cloudscheduler|cloudtasks|gfe|envoy|istio|linkerd|azure|arr|iisnode)(-.*)?)$/,
  /^(x-goog-(api|user|ext|encryption|request)-.*|x-google-.*|function-execution-id|x-cloud-trace-context)$/,
  /^(cf-(access|connecting|client|visitor|worker|ray|ipcountry|pseudo|ew|warp)(-.*)?|(fastly|fly)-.*)$/,
  // The product itself.
  /^dlo-.*$/,
];

const isWithheld = (name: string) =>
  isCredential(name) || withheld.some((names) => names.test(toUsualName(name)));
