/**
 * Names of headers that an event never brings to a target, in lower case with hyphens: a server, a proxy, a
 * framework or a cloud gives them a meaning, so that an event could claim a connection, an identity, an
 * origin or a route that it does not have. All other headers are sent, whatever they say.
 */
const withheld: readonly RegExp[] = [
  // The connection and its message.
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|content-length|accept-encoding|expect|via|max-forwards)$/,
  /^(proxy-.*|http2-settings|alt-used|early-data|if-(match|none-match|modified-since|unmodified-since|range))$/,
  // Credentials, and identities that a proxy has verified.
  /^(authorization|cookie2?|(x-)?api-?key|private-token|x-(auth|csrf|xsrf|access|amz|amzn|vault|consul|dapr)-.*|x-gitlab-token)$/,
  /^((x-)?remote-(user|group|name|addr|ip|host).*|x-(webauth|authenticated|ssl|client-cert|jwt|pomerium)-?.*|ssl-client-.*)$/,
  /^(impersonate-.*|dapr-api-token|x-endpoint-api-userinfo|x-apigateway-.*|x-hasura-.*|x-scope-orgid|tailscale-.*)$/,
  /^(x-consumer-(id|username|custom-id|groups)|x-credential-.*|x-anonymous-consumer)$/,
  // Where a request comes from.
  /^(origin|referer|sec-.*|access-control-.*|x-requested-with|forwarded|x-forwarded.*|x-scheme|x-url-scheme)$/,
  /^((x-)?(real|client|cluster-client|originating|proxyuser|true-client)-ip|client-ip|true-client-.*|front-end-https)$/,
  // Where it goes, and by which method.
  /^(x-original-(url|uri|host|method|proto|scheme|remote-.*|forwarded-.*)|x-rewrite-.*|x-host|x-http-host-override)$/,
  /^(x-(http-)?method(-override)?|x-middleware-.*|x-invoke-.*|x-matched-path|x-nextjs-.*|x-accel-.*|x-sendfile.*)$/,
  // Platforms, and meshes on them.
  /^(x-(goog|google|gfe|appengine|serverless|cloudscheduler|cloudtasks)(-.*)?|function-execution-id|x-cloud-trace-context)$/,
  /^(x-(envoy|istio|linkerd|azure|ms|arr|iisnode|functions|vercel|fastly|netlify)-(?!signature$|event).*|ocp-apim-.*|wl-proxy-.*|l5d-.*)$/,
  /^((cf|fastly|fly|cdn)-.*)$/,
  // The product itself.
  /^dlo-.*$/,
];

/**
 * Whether a header of an event is withheld from HTTP targets. Gateway interfaces, such as CGI and WSGI, read
 * `X_Real_IP` and `X.Real.IP` as `X-Real-IP`.
 */
export function isWithheld(name: string): boolean {
  const known = decided.get(name);
  if (known !== undefined) return known;
  const isMatch = matches(name);
  // Events choose the names.
  if (decided.size >= maxDecided) decided.clear();
  decided.set(name, isMatch);
  return isMatch;
}

/** Decisions by name: the events of a route have the same few names, and each takes a dozen expressions. */
const decided = new Map<string, boolean>();
const maxDecided = 1000;

function matches(name: string): boolean {
  const usual = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
  return withheld.some((names) => names.test(usual));
}
