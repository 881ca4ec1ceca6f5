import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Google } from '../google.ts';
import { projectOf } from '../iam-methods.ts';
import { isAllowed } from '../policies.ts';
import { type IdToken, readIdToken } from '../tokens.ts';
import type { Instances } from './instances.ts';

export type ServiceCall = {
  /** The host and the path of a service. */
  readonly url: string;
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer<ArrayBuffer> | undefined;
  /** Whether it comes from Pub/Sub or Cloud Scheduler of the same project. */
  readonly isInternal: boolean;
};

/**
 * The audience of tokens that `gcloud auth print-identity-token` makes for users, which Cloud Run accepts.
 */
export const gcloudAudience = '32555940559.apps.googleusercontent.com';

/**
 * Does what Cloud Run does before a request reaches an instance: checks ingress, verifies the token, checks
 * IAM, and removes the signature. https://cloud.google.com/run/docs/authenticating/service-to-service
 */
export async function callService(
  google: Google,
  instances: Instances,
  call: ServiceCall,
): Promise<Response> {
  const { origin, host, pathname, search } = new URL(call.url);
  const [found] = [...google.resources].filter(([, { uri }]) => uri === origin);
  if (!found) return new Response(`No service at ${host}.`, { status: 404 });
  const [service, { ingress }] = found;
  if (ingress === 'ALLOW_INTERNAL_ONLY' && !call.isInternal)
    return new Response('Not found.', { status: 404 });
  const token = readIdToken((call.headers.authorization ?? '').replace(/^Bearer /i, ''));
  if (!token || ![origin, gcloudAudience].includes(token.audience)) {
    return new Response('The request was not authenticated.', { status: token ? 401 : 403 });
  }
  if (!mayInvoke(google, service, token))
    return new Response('The client does not have permission.', { status: 403 });
  const { host: _host, connection: _connection, ...headers } = call.headers;
  const at = await instances.locate(service);
  return fetch(new URL(`${pathname}${search}`, at), {
    method: call.verb,
    redirect: 'manual',
    headers: { ...headers, authorization: `Bearer ${token.withoutSignature}`, 'x-forwarded-proto': 'https' },
    ...(call.body?.length && { body: call.body }),
  });
}

function mayInvoke({ policies }: Google, service: string, { member }: IdToken): boolean {
  const resources = [service, projectOf(service)];
  return isAllowed(policies, { member, permission: 'run.routes.invoke', resources });
}

/** Serves the addresses of Cloud Run to callers from outside. */
export function serveFront(google: Google, instances: Instances) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method: verb = '', headers, url = '' } = request;
    const texts = Object.entries(headers).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
    const body = Buffer.from(await buffer(request));
    const answer = await callService(google, instances, {
      url: `https://${headers.host}${url}`,
      verb,
      headers: Object.fromEntries(texts),
      body,
      isInternal: false,
    });
    const content = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(answer.status, { 'content-type': type }).end(content);
  };
}
