import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Authority } from './certificates.ts';

export type Api = {
  /** The authority of the certificates of Google's own hosts. */
  readonly web: Authority;
  /** The authority of the certificates of the instance and of its clients. */
  readonly instance: Authority;
  readonly region: string;
  readonly address: string;
  /** The account whose token each caller gets. */
  readonly user: string;
  /** So often it answers that the user may not, as it does for a while after it was granted. */
  refusals: number;
};

/**
 * Stands in for what the connector asks before it connects: a proxy, and server of metadata, that answers in
 * Google's place for tokens, for the facts of an instance and for certificates.
 */
export function serveAdminApi(api: Api): Server {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('metadata-flavor', 'Google');
    response.setHeader('content-type', 'application/json');
    const answer = await respond(api, request);
    if ('error' in answer) response.statusCode = (answer.error as { code: number }).code;
    response.end(JSON.stringify(answer));
  };
  const { certificate: cert, key } = api.web.issue('Google', [
    'sqladmin.googleapis.com',
    'oauth2.googleapis.com',
    'sts.googleapis.com',
    'iamcredentials.googleapis.com',
  ]);
  const google = createTlsServer({ cert, key }, serve);
  const proxy = createServer(serve);
  proxy.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    google.emit('connection', socket);
  });
  return proxy;
}

/** https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1beta4/connect */
async function respond(api: Api, request: IncomingMessage): Promise<object> {
  const { pathname } = new URL(request.url ?? '', 'http://google');
  const token = `token of ${api.user}`;
  if (pathname.endsWith(`/${api.user}:generateAccessToken`)) {
    return { accessToken: token, expireTime: new Date(Date.now() + 3_600_000) };
  }
  if (pathname.endsWith('/token')) return { access_token: token, expires_in: 3600, token_type: 'Bearer' };
  if (/\/databases\/|\/users$/.test(pathname)) return { name: 'made', status: 'DONE' };
  if (request.headers.authorization !== `Bearer ${token}`) return { error: { code: 401 } };
  if (pathname.endsWith('/connectSettings') && api.refusals-- > 0) return { error: { code: 403 } };
  if (pathname.endsWith('/connectSettings')) {
    return {
      region: api.region,
      ipAddresses: [{ type: 'PRIMARY', ipAddress: api.address }],
      serverCaCert: { cert: api.instance.certificate, expirationTime: new Date(Date.now() + 3_600_000) },
    };
  }
  const asked = (await json(request)) as { public_key: string; access_token?: string };
  const name = asked.access_token === token ? api.user : 'nobody';
  return { ephemeralCert: { cert: api.instance.certify(name, asked.public_key) } };
}
