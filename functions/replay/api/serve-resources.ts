import type { IncomingMessage } from 'node:http';
import { type Context, type Handler, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { ForbiddenError, NotAuthorizedError, NotFoundError } from '../../../shared/errors.ts';
import { type Endpoint, MethodNotAllowedError } from '../../endpoint.ts';
import type { ConsoleUser } from '../../identity/identify-user.ts';
import { openBodyReader, type ReadBody } from '../../read-body.ts';
import { answerFailure, forbidCaching, type NodeEnv, serveApp } from '../../serve-app.ts';
import { streamLines } from '../../stream-lines.ts';
import type { ApiResponse, Load, Resources } from './operation.ts';
import { readBody } from './read-body.ts';

/** Identifies the caller of a request and their role. Throws NotAuthorizedError, and ForbiddenError for a caller without a role. */
export type IdentifyUser = (request: IncomingMessage) => Promise<ConsoleUser>;

type ApiContext = Context<NodeEnv>;

const maxBytes = 1_048_576;

/**
 * Serves an API at `/` and at `/replay`: a deployed function has its own host, a gateway has a path for each function.
 * `/openapi.json` is public; all other paths require an authenticated caller, and POST an operator.
 */
export function serveResources<Deps>(
  resources: Resources<Deps>,
  { deps, identify }: { readonly deps: Deps; readonly identify: IdentifyUser },
): Endpoint {
  const api = new Hono<NodeEnv>();
  const serving = { deps, identify, readRequest: openBodyReader(maxBytes) };
  for (const [path, { get, post }] of Object.entries(resources)) {
    serveMethods(api, path.replaceAll(/\{(\w+)\}/g, ':$1'), {
      ...(get && { GET: (c) => serveOperation(c, get, serving) }),
      ...(post && { POST: (c) => serveOperation(c, post, serving) }),
    });
  }
  serveMethods(api, '/openapi.json', {
    GET: async (c) => c.json(await (await import('./describe-api.ts')).describeApi(resources)),
  });
  const root = new Hono<NodeEnv>({ strict: false });
  root.use(secureHeaders(), forbidCaching);
  root.route('/replay', api).route('/', api);
  root.notFound(() => answerFailure(new NotFoundError('Unknown path; /openapi.json lists all paths.')));
  root.onError((error) => {
    const answer = answerFailure(error);
    if (error instanceof NotAuthorizedError) answer.headers.set('www-authenticate', 'Bearer');
    return answer;
  });
  return serveApp(root);
}

/** Serves the methods of a path, and answers others by 405: a later path, such as `/events/:id`, may match it, too. */
function serveMethods(
  api: Hono<NodeEnv>,
  path: string,
  handlers: Readonly<Record<string, Handler<NodeEnv>>>,
) {
  for (const [method, handle] of Object.entries(handlers)) api.on(method, path, handle);
  const methods = Object.keys(handlers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  api.all(path, () => answerFailure(new MethodNotAllowedError(methods)));
}

type Serving<Deps> = {
  readonly deps: Deps;
  readonly identify: IdentifyUser;
  readonly readRequest: ReadBody;
};

async function serveOperation<Deps>(
  { env: { incoming, outgoing }, req }: ApiContext,
  load: Load<Deps>,
  { deps, identify, readRequest }: Serving<Deps>,
): Promise<Response> {
  const caller = await identify(incoming);
  const isPost = req.method === 'POST';
  if (isPost && !caller.isOperator) {
    throw new ForbiddenError('You have the viewer role, which is read-only. Ask for the operator role.');
  }
  const bytes = isPost ? (await readRequest(incoming, outgoing)).bytes : Buffer.alloc(0);
  const { handle } = await load();
  const answer = await handle(deps, {
    params: req.param(),
    query: new URL(req.url).searchParams,
    headers: incoming.headers,
    body: readBody(bytes, incoming),
    text: bytes.toString('utf8'),
    caller,
    now: new Date(),
  });
  return send(answer);
}

async function send(answer: ApiResponse): Promise<Response> {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers };
  if ('lines' in answer) return new Response(await streamLines(answer.lines), { headers });
  const json = 'json' in answer ? answer.json : JSON.stringify(answer.body);
  return new Response(`${json}\n`, { status: answer.status ?? 200, headers });
}
