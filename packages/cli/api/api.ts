import { text as readAll } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import type { Problem } from './answers.ts';
import { ApiError } from './api-error.ts';
import { findOperation, type Operation, type Operations } from './operations.ts';

/** Values of the parameters and of the body of an operation by their names; undefined ones are left out. */
export type Values = Readonly<Record<string, unknown>>;

/** The replay API of a deployment. Its functions throw ApiError, and CommandError if it cannot be reached. */
export type Api = {
  call<Answer>(operation: string, values?: Values): Promise<Answer>;
  /** The text of the answer: JSON.parse rounds large numbers. */
  read(operation: string, values?: Values): Promise<string>;
  /** The chunks of a long answer. */
  stream(operation: string, values?: Values): AsyncIterable<Uint8Array>;
};

export type ApiOptions = {
  readonly operations: Operations;
  /** The address of the API. */
  readonly url: string;
  readonly getToken: (() => Promise<string>) | undefined;
  readonly signal: AbortSignal;
};

/** Opens the API. Nothing is sent before the first call. */
export function openApi({ operations, url, getToken, signal }: ApiOptions): Api {
  let token: Promise<string> | undefined;
  const authorize = async () => {
    token ??= getToken?.();
    return token === undefined ? {} : { authorization: `Bearer ${await token}` };
  };
  const send = async (id: string, values: Values): Promise<Response> => {
    const { path, ...init } = composeRequest(findOperation(operations, id), values);
    const request = async () =>
      connect(url + path, { ...init, signal, headers: { ...init.headers, ...(await authorize()) } });
    const response = await request();
    // A token lives for an hour, and a command may run longer.
    if (response.status === 401 && token !== undefined) {
      token = undefined;
      return expectSuccess(await request());
    }
    if (response.status !== 503 || init.method !== 'GET') return expectSuccess(response);
    await delay(1000, undefined, { signal });
    return expectSuccess(await request());
  };
  async function* stream(id: string, values: Values = {}) {
    const { body } = await send(id, values);
    try {
      if (body) yield* body;
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new CommandError('failed', 'The connection broke off: the result is incomplete.', { cause });
    }
  }
  const ask = async (id: string, values?: Values) => {
    const text = await readAll(stream(id, values));
    const { answers } = findOperation(operations, id);
    const answer = readJson(text);
    if (answer && (answers === undefined || answers in answer)) return { text, answer };
    throw new CommandError('failed', `${url} is no address of a replay function: it answered ${quote(text)}`);
  };
  return {
    stream,
    read: async (id, values) => (await ask(id, values)).text,
    call: async <Answer>(id: string, values?: Values) => (await ask(id, values)).answer as Answer,
  };
}

/** The object that a text is as JSON. */
function readJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Object(value) === value ? Object(value) : undefined;
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return text.trim() === '' ? 'nothing.' : `"${text.trim().slice(0, 300)}".`;
}

/** Puts each value where the operation has it: in its path, its query, its headers or its body. */
export function composeRequest({ method, path, fields }: Operation, values: Values) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  let filled = path;
  for (const { name, in: at } of fields) {
    const value = values[name];
    if (value === undefined) continue;
    if (at === 'path') filled = filled.replace(`{${name}}`, toSegment(name, String(value)));
    else if (at === 'query') query.set(name, String(value));
    else if (at === 'header') headers[name] = String(value);
    else body[name] = value;
  }
  const search = query.size > 0 ? `?${query}` : '';
  if (method === 'get') return { path: filled + search, method: 'GET', headers };
  return {
    path: filled + search,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** A segment of a path. Throws a CommandError for one that a URL does not keep. */
function toSegment(name: string, value: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new CommandError('usage', `"${value}" is no ${name}: copy it from a list.`);
}

async function connect(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    const { origin } = new URL(url);
    const reason = describeCause(cause);
    const remedy = 'Start Dead Letter Office there, or name another one: --url, --stack or DLO_URL.';
    throw new CommandError('unreachable', `${origin} cannot be reached: ${reason}\n${remedy}`, { cause });
  }
}

function describeCause(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  return code ?? message ?? String(error);
}

/** What a caller can do whom Cloud Run rejects, in words about itself. */
const remedies: Readonly<Record<number, string>> = {
  401: 'Sign in by `gcloud auth login`, or set DLO_TOKEN to an identity token that has not expired.',
  403: 'Your account needs roles/run.invoker on the function replay.',
};

async function expectSuccess(response: Response): Promise<Response> {
  const { status, headers, ok } = response;
  const type = headers.get('content-type') ?? '';
  const isPage = type.startsWith('text/html');
  if (ok && !isPage) return response;
  const text = await response.text().catch(() => '');
  // Another function than replay rejects the method, in words about itself.
  const isOwn = type.startsWith('application/problem+json') && status !== 405;
  const problem = isOwn ? (readJson(text) as Problem | undefined) : undefined;
  if (problem?.detail) throw new ApiError({ ...problem, status });
  const page = isPage ? ' is a page: name the address of the function replay.' : `: ${quote(text)}`;
  const remedy = remedies[status];
  const said = remedy === undefined ? page : `: ${remedy}`;
  throw new ApiError({ status, detail: `HTTP ${status} of ${response.url}${said}` });
}
