import type { IncomingMessage } from 'node:http';
import { type Context, type Handler, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import {
  InputError,
  NotAuthorizedError,
  NotFoundError,
  UnsupportedMediaTypeError,
} from '../../../shared/errors.ts';
import { isDeeper } from '../../../shared/json/parse-json.ts';
import { type Endpoint, MethodNotAllowedError } from '../../endpoint.ts';
import { assertOperator, type ConsoleUser } from '../../identity/identify-user.ts';
import { openBodyReader, type ReadBody } from '../../read-body.ts';
import { answerFailure, forbidCaching, type NodeEnv, serveApp } from '../../serve-app.ts';
import { streamLines } from '../../stream-lines.ts';
import type { ApiDeps, ApiResponse, Description, Load, Route } from './operation.ts';

/** Identifies a caller and their role. Throws NotAuthorizedError, and ForbiddenError without a role. */
export type IdentifyUser = (request: IncomingMessage) => Promise<ConsoleUser>;

type Serving = Api & { readonly readRequest: ReadBody };
type Api = { readonly deps: ApiDeps; readonly identify: IdentifyUser };

const maxBytes = 1_048_576;

/**
 * Serves an API at `/` and at `/replay`: a deployed function has its own host, a gateway has a path for each
 * function. `/openapi.json` is public; all other paths require an authenticated caller, and POST an operator.
 */
export function serveOperations(routes: readonly Route[], api: Api): Endpoint {
  const app = new Hono<NodeEnv>();
  const serving = { ...api, readRequest: openBodyReader(maxBytes) };
  for (const [path, operations] of Map.groupBy(routes, ([, path]) => path)) {
    const handlers = operations.map(
      ([method, , , load]) => [method, (c: Context<NodeEnv>) => serveOperation(c, load, serving)] as const,
    );
    serveMethods(app, path.replaceAll(/\{(\w+)\}/g, ':$1'), handlers);
  }
  // Made once: anyone may read it.
  let document: Promise<Description> | undefined;
  const showDocument = async (c: Context<NodeEnv>) => {
    document ??= import('./describe-api.ts').then(({ describeApi }) => describeApi(routes));
    return c.json(await document);
  };
  serveMethods(app, '/openapi.json', [['get', showDocument]]);
  const root = new Hono<NodeEnv>();
  root.use(secureHeaders(), forbidCaching);
  root.route('/replay', app).route('/', app);
  root.notFound(() => answerFailure(new NotFoundError('Unknown path; /openapi.json lists all paths.')));
  root.onError((error) => {
    const answer = answerFailure(error);
    if (error instanceof NotAuthorizedError) answer.headers.set('www-authenticate', 'Bearer');
    return answer;
  });
  return serveApp(root);
}

type Handlers = readonly (readonly [method: 'get' | 'post', handle: Handler<NodeEnv>])[];

/** Serves the methods of a path, others by 405: a later path, such as `/events/:id`, may match it, too. */
function serveMethods(app: Hono<NodeEnv>, path: string, handlers: Handlers): void {
  for (const [method, handle] of handlers) app[method](path, handle);
  const methods = handlers.flatMap(([method]) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']));
  app.all(path, () => answerFailure(new MethodNotAllowedError(methods)));
}

async function serveOperation(c: Context<NodeEnv>, load: Load, serving: Serving): Promise<Response> {
  const { deps, identify, readRequest } = serving;
  const { incoming, outgoing } = c.env;
  const caller = await identify(incoming);
  const isPost = c.req.method === 'POST';
  if (isPost) assertOperator(caller);
  const bytes = isPost ? (await readRequest(incoming, outgoing)).bytes : Buffer.alloc(0);
  const { handle } = await load();
  const answer = await handle(deps, {
    params: c.req.param(),
    query: new URL(c.req.url).searchParams,
    headers: incoming.headers,
    body: readBody(bytes, incoming),
    text: bytes.toString('utf8'),
    caller,
    now: new Date(),
  });
  return toResponse(answer);
}

async function toResponse(answer: ApiResponse): Promise<Response> {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers };
  if ('lines' in answer) return new Response(await streamLines(answer.lines), { headers });
  const json = 'json' in answer ? answer.json : JSON.stringify(answer.body);
  return new Response(`${json}\n`, { status: answer.status ?? 200, headers });
}

const maxLevels = 100;

/** The JSON body, or undefined. Throws InputError and UnsupportedMediaTypeError. */
function readBody(bytes: Buffer, { headers }: Pick<IncomingMessage, 'headers'>): unknown {
  if (bytes.length === 0) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new UnsupportedMediaTypeError('Send JSON with Content-Type: application/json.');
  if (headers['content-encoding'] !== undefined)
    throw new UnsupportedMediaTypeError('Send the body uncompressed.');
  return parseBody(bytes);
}

function parseBody(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isDeeper(value, maxLevels)) return value;
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'The text is not UTF-8.';
    throw invalidBody(`Must be valid JSON. ${reason}`);
  }
  throw invalidBody(`Must be JSON with at most ${maxLevels} levels.`);
}

const invalidBody = (remedy: string) => new InputError([{ field: 'body', value: '(not shown)', remedy }]);
