import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toStorableText } from '../../database/storable-text.ts';
import { locate } from './address.ts';
import { authorizeFor } from './identity-token.ts';
import { judge, type Outcome } from './outcome.ts';
import { reasonCodesOfError, reasonCodesOfStatus, reasonCodesOfTimeout } from './reason-codes.ts';
import { parseRetryAfter } from './retry-after.ts';

/** Characters of an answer that are read; up to 2000 of them are kept with the attempt. */
const maxReadChars = 65_536;
const maxKeptChars = 2000;

// Idle connections are closed after 3 s, earlier than most servers do: if a server closes a connection while a request is
// written to it, the outcome is unknown.
const idle = { keepAlive: true, timeout: 3000 };

type Transport = { readonly request: typeof http.request; readonly agent: http.Agent };

const plain: Transport = { request: http.request, agent: new http.Agent(idle) };
let encrypted: Promise<Transport> | undefined;

/** TLS is loaded with the first delivery that needs it: cold starts take 5 % longer with it. */
function loadEncrypted(): Promise<Transport> {
  encrypted ??= import('node:https').then(({ request, Agent }) => ({ request, agent: new Agent(idle) }));
  return encrypted;
}

type Header = readonly [name: string, value: string];

/** Additions of the configuration to the requests of a target. */
export type TargetHeaders = {
  /** The audience of the identity token, if the target requires one. */
  readonly audience?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

export type Request = {
  readonly url: string;
  /** Its headers replace those in `messageHeaders`; the identity token is for its audience. */
  readonly target: TargetHeaders;
  readonly messageHeaders: readonly Header[];
  /** Headers that the configuration cannot set or replace. */
  readonly deliveryHeaders: readonly Header[];
  readonly body: Buffer;
  readonly timeoutSeconds: number;
};

export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
};

/** POSTs a body. Follows no redirect. Never throws: every failure is an outcome, and `read` judges an answer. */
export async function post(request: Request, read: (answer: Answer) => Outcome): Promise<Outcome> {
  const endsAt = performance.now() + request.timeoutSeconds * 1000;
  try {
    const { audience } = request.target;
    const authorization =
      audience === undefined ? undefined : await beforeEnd(endsAt, authorizeFor(audience));
    return await send(request, composeHeaders(request, authorization), endsAt, read);
  } catch (error) {
    return { ...judge(['unsent']), error: describe(error) };
  }
}

/** Returns the outcome of an answer by its status, with the beginning of its body. */
export function judgeAnswer({ status, text, retryAfterSeconds }: Answer): Outcome {
  const answer = {
    ...judge(reasonCodesOfStatus(status)),
    responseStatus: status,
    responseBody: toStorableText(text, maxKeptChars),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  return answer.kind === 'delivered'
    ? answer
    : { ...answer, error: `HTTP ${status}: ${text.slice(0, 200) || 'no body'}` };
}

/** Waits for work that has no timeout of its own, until `endsAt`. */
async function beforeEnd<T>(endsAt: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const timeout = sleep(endsAt - performance.now(), undefined, { signal: timer.signal }).then(() => {
    throw new Error('Timed out while obtaining an identity token.');
  });
  return Promise.race([work, timeout]).finally(() => timer.abort());
}

/** Events and one timer: signals and async iteration, which do the same, double the processor time of a delivery. */
async function send(
  { url, body, timeoutSeconds }: Request,
  headers: string[],
  endsAt: number,
  read: (answer: Answer) => Outcome,
): Promise<Outcome> {
  const { options } = locate(url);
  const { request, agent } = options.protocol === 'https:' ? await loadEncrypted() : plain;
  return new Promise((resolve) => {
    let isSent = false;
    const outgoing = request({ ...options, method: 'POST', agent, headers });
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fail = (error: Error) =>
      end({ ...judge(reasonCodesOfError(error, isSent)), error: describe(error) });
    const giveUp = () => {
      end({ ...judge(reasonCodesOfTimeout(isSent)), error: `no answer within ${timeoutSeconds} s` });
      outgoing.destroy();
    };
    // A process that stood still reads an answer that has arrived meanwhile before it gives up.
    const timer = setTimeout(() => setImmediate(giveUp), endsAt - performance.now());
    outgoing.on('finish', () => {
      isSent = true;
    });
    outgoing.on('error', fail);
    outgoing.on('response', (answer) => {
      const retryAfterSeconds = parseRetryAfter(answer.headers['retry-after'], Date.now());
      const status = answer.statusCode ?? 0;
      readText(answer, (text) => end(read({ status, text, retryAfterSeconds })), fail);
    });
    outgoing.end(body);
  });
}

/** Returns a raw list: only that form keeps repeated names and their order. */
function composeHeaders(
  { url, target, messageHeaders, deliveryHeaders, body }: Request,
  authorization?: string,
): string[] {
  const configured = Object.entries(target.headers);
  const names = new Set(configured.map(([name]) => name.toLowerCase()));
  const replaceable: Header[] = [
    ['host', locate(url).host],
    ...messageHeaders,
    ...(authorization ? [['authorization', authorization] as const] : []),
  ];
  return [
    ...replaceable.filter(([name]) => !names.has(name.toLowerCase())),
    ...configured,
    ['content-length', String(body.length)],
    ...deliveryHeaders,
  ].flat();
}

/** Reads up to 64 KiB and discards the rest: the connection can be reused only after the end of the answer. */
function readText(
  answer: http.IncomingMessage,
  onText: (text: string) => void,
  onError: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on('data', (chunk: Buffer) => {
    if (size < maxReadChars) chunks.push(chunk);
    size += chunk.length;
  });
  answer.on('end', () => onText(toStorableText(Buffer.concat(chunks).toString('utf8'), maxReadChars)));
  answer.on('error', onError);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An address that answers on neither IPv4 nor IPv6 fails with an AggregateError without a message.
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return toStorableText(cause.message || cause.name, 500);
}
