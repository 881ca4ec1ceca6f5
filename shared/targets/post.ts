import { once } from 'node:events';
import http from 'node:http';
import type { HttpTarget } from '../routes.ts';
import { toStorableText } from '../storable-text.ts';
import { authorizeFor } from './identity-token.ts';
import { judge, type Outcome } from './outcome.ts';
import { parseRetryAfter } from './retry-after.ts';
import { signsOfError, signsOfStatus, signsOfTimeout } from './signs.ts';

/** Characters of an answer that are read; the beginning of them is kept with the attempt. */
const readAtMost = 65_536;
const keptAnswer = 2000;

// Idle connections are dropped well before servers usually do: one that the server closed at the moment we wrote
// to it would leave the outcome unknown.
const idle = { keepAlive: true, timeout: 3000 };

type Way = { readonly request: typeof http.request; readonly agent: http.Agent };

const plain: Way = { request: http.request, agent: new http.Agent(idle) };
let encrypted: Promise<Way> | undefined;

/** TLS comes with the first delivery that needs it: a cold start is a twentieth shorter without. */
async function findWay(protocol: string): Promise<Way> {
  if (protocol !== 'https:') return plain;
  encrypted ??= import('node:https').then(({ request, Agent }) => ({ request, agent: new Agent(idle) }));
  return encrypted;
}

type Header = readonly [name: string, value: string];

export type Request = {
  readonly url: URL;
  /** Its headers take the place of those in `offered`; its audience is who the identity token is for. */
  readonly target: Pick<HttpTarget, 'audience' | 'headers'>;
  readonly offered: readonly Header[];
  /** Headers that the configuration cannot have, so that nothing is in their way. */
  readonly ours: readonly Header[];
  readonly body: Buffer;
  readonly timeoutSeconds: number;
};

export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
};

/** POSTs a body. Follows no redirect. Never throws: every end is an outcome, an answer by what `read` makes of it. */
export async function post(request: Request, read: (answer: Answer) => Outcome): Promise<Outcome> {
  const signal = AbortSignal.timeout(request.timeoutSeconds * 1000);
  try {
    const { audience } = request.target;
    const authorization =
      audience === undefined ? undefined : await beforeAbort(signal, authorizeFor(audience));
    return await send(request, composeHeaders(request, authorization), signal, read);
  } catch (error) {
    return { ...judge(['unsent']), error: describe(error) };
  }
}

/** The outcome that an answer's status tells, with what is kept of the answer. */
export function judgeAnswer({ status, text, retryAfterSeconds }: Answer): Outcome {
  const answer = {
    ...judge(signsOfStatus(status)),
    responseStatus: status,
    responseBody: toStorableText(text, keptAnswer),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  return answer.kind === 'delivered'
    ? answer
    : { ...answer, error: `HTTP ${status}: ${text.slice(0, 200) || 'no body'}` };
}

/** Gives up waiting for what itself knows no end. */
function beforeAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const end = once(signal, 'abort').then(() => {
    throw new Error('No identity token could be had in time.');
  });
  return Promise.race([work, end]);
}

async function send(
  { url, body, timeoutSeconds }: Request,
  headers: string[],
  signal: AbortSignal,
  read: (answer: Answer) => Outcome,
): Promise<Outcome> {
  const { request, agent } = await findWay(url.protocol);
  return new Promise((resolve) => {
    let isSent = false;
    const outgoing = request(url, { method: 'POST', agent, signal, headers });
    const fail = (error: Error) => {
      const [signs, reason] = signal.aborted
        ? [signsOfTimeout(isSent), `no answer within ${timeoutSeconds} s`]
        : [signsOfError(error, isSent), describe(error)];
      resolve({ ...judge(signs), error: reason });
    };
    outgoing.on('finish', () => {
      isSent = true;
    });
    outgoing.on('error', fail);
    outgoing.on('response', (answer) => {
      const retryAfterSeconds = parseRetryAfter(answer.headers['retry-after'], Date.now());
      const status = answer.statusCode ?? 0;
      readText(answer).then((text) => resolve(read({ status, text, retryAfterSeconds })), fail);
    });
    outgoing.end(body);
  });
}

/** A raw list, because only that form keeps repeated names and their order. */
function composeHeaders({ url, target, offered, ours, body }: Request, authorization?: string): string[] {
  const configured = Object.entries(target.headers);
  const names = new Set(configured.map(([name]) => name.toLowerCase()));
  const replaceable: Header[] = [
    ['host', url.host],
    ...offered,
    ...(authorization ? [['authorization', authorization] as const] : []),
  ];
  return [
    ...replaceable.filter(([name]) => !names.has(name.toLowerCase())),
    ...configured,
    ['content-length', String(body.length)],
    ...ours,
  ].flat();
}

/** Reads as much as may be looked at and lets the rest pass; the connection can be used again only after the end. */
async function readText(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (size < readAtMost) chunks.push(chunk);
    size += chunk.length;
  }
  return toStorableText(Buffer.concat(chunks).toString('utf8'), readAtMost);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An address that answers on neither IPv4 nor IPv6 comes as an AggregateError without a message of its own.
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return toStorableText(cause.message || cause.name, 500);
}
