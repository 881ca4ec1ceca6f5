import { isCredential, rememberNames } from '../../message/credential-headers.ts';

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
  /(^|-)(auth-request|authenticated|webauth|oidc|saml|iap|userinfo|client-principal|client-?cert|ssl-client|tls-client)(-|$)/,
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

/** Whether a header of an event is withheld from HTTP targets, unless its route allows it. */
export const isWithheld = rememberNames(
  (usual) => isCredential(usual) || withheld.some((names) => names.test(usual)),
);
