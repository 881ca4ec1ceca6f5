import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { toStorableText } from '../../database/storable-text.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { judge, type Outcome, reasonCodesOfError, reasonCodesOfTimeout } from './outcome.ts';

/** Characters of an answer that are read; up to 2000 of them are kept with the attempt. */
const maxReadChars = 65_536;

/** Bytes of a body that the buffers of both sockets hold, however little of it the target reads. */
const maxUnreadBytes = 65_536;

export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
};

type Request = {
  readonly url: string;
  /** Names and values in turn: only that form keeps repeated names and their order. */
  readonly headers: string[];
  readonly body: Buffer;
  /** By performance.now(), in ms. */
  readonly endsAt: number;
  readonly timeoutSeconds: number;
};

/** POSTs a body until `endsAt`. Follows no redirect. `read` judges an answer; every failure is an outcome. */
export async function sendRequest(request: Request, read: (answer: Answer) => Outcome): Promise<Outcome> {
  const { url, headers, body, endsAt, timeoutSeconds } = request;
  const { origin, pathname, search } = new URL(url);
  const connection = await takeConnection(origin);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const exchange: Exchange = { endsAt, isSent: false, status: 0, chunks: [], size: 0 };
  const giveUp = () => {
    const { isSent, status } = exchange;
    const missing = status === 0 ? 'no answer' : `HTTP ${status}, but no end of the answer`;
    resolve({ ...judge(reasonCodesOfTimeout(isSent)), error: `${missing} within ${timeoutSeconds} s` });
    // After the outcome: it ends the request with an error of its own.
    void connection.destroy();
  };
  // A process that stood still reads an answer that has arrived meanwhile before it gives up.
  let late: NodeJS.Immediate | undefined;
  const leftMs = Math.max(1, endsAt - performance.now());
  const timer = setTimeout(() => {
    late = setImmediate(giveUp);
  }, leftMs);
  const onEnd = (error?: unknown) => {
    clearTimeout(timer);
    // Another delivery may use the connection already.
    clearImmediate(late);
    const { isSent, status, retryAfterSeconds } = exchange;
    if (error !== undefined) {
      void connection.destroy();
      return resolve({ ...judge(reasonCodesOfError(error, isSent)), error: describeError(error) });
    }
    // A target that answers a large body early may never read its end, and a later request would wait behind
    // it. Hardly any does that accepts it.
    if (body.length > (status < 300 ? 2 ** 20 : maxUnreadBytes)) void connection.destroy();
    else getOrInsert(idle, origin, () => []).push(connection);
    const text = toStorableText(Buffer.concat(exchange.chunks).toString('utf8'), maxReadChars);
    resolve(read({ status, text, retryAfterSeconds }));
  };
  const path = `${pathname}${search}`;
  connection.dispatch({ path, method: 'POST', headers, body }, collectAnswer(exchange, onEnd));
  return promise;
}

type Exchange = {
  readonly endsAt: number;
  isSent: boolean;
  status: number;
  retryAfterSeconds?: number | undefined;
  readonly chunks: Buffer[];
  size: number;
};

/** Signals and async iteration, which do the same, double the processor time of a delivery. */
function collectAnswer(exchange: Exchange, onEnd: (error?: unknown) => void): Dispatcher.DispatchHandler {
  return {
    // The connection is open, and the whole request is written to it now. A process that stood still may come
    // here when its lease is over, and another worker has the event.
    onRequestStart(controller) {
      exchange.isSent = performance.now() < exchange.endsAt;
      if (!exchange.isSent) controller.abort(new Error('the connection opened too late'));
    },
    onResponseStart(_, status, answered) {
      exchange.status = status;
      exchange.retryAfterSeconds = parseRetryAfter([answered['retry-after']].flat()[0], Date.now());
    },
    // Discards the rest: the connection can be reused only after the end of the answer.
    onResponseData(_, chunk) {
      if (exchange.size < maxReadChars) exchange.chunks.push(chunk);
      exchange.size += chunk.length;
    },
    onResponseEnd: () => onEnd(),
    // They have no body, whatever their headers say of one: the answer is complete.
    onResponseError: (_, error) => onEnd([204, 304].includes(exchange.status) ? undefined : error),
  };
}

/** Returns the message of an error as text that PostgreSQL can store. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An address that answers on neither IPv4 nor IPv6 fails with an AggregateError without a message.
  const cause: Error & { code?: unknown; reason?: unknown } =
    error instanceof AggregateError ? error.errors[0] : error;
  const { code, reason, message, name } = cause;
  // The message of OpenSSL has its source file and the number of a thread.
  const isTls = String(code).startsWith('ERR_SSL_') && typeof reason === 'string';
  return toStorableText(isTls ? `${reason} (${code})` : message || name, 500);
}

const day = 86_400;

/** The three date formats of RFC 9110 5.6.7. The last one names no zone; all are in GMT. */
const dates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/, // Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/, // Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/, // Sun Nov  6 08:49:37 1994
];

/** RFC 9110 10.2.3: seconds or a date, at most one day. Undefined if the header is missing or invalid. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), day);
  if (!dates.some((form) => form.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.min(Math.max((date - now) / 1000, 0), day);
}

// Idle connections are closed after 3 s, earlier than most servers do: if a server closes a connection while
// a request is written to it, the outcome is unknown. A delivery has its own timeout; a connection that is
// not open after 10 s ends itself.
const options = { keepAliveTimeout: 3000, keepAliveMaxTimeout: 3000, headersTimeout: 0, bodyTimeout: 0 };
const connectTimeoutMs = 10_000;

const load = () => Promise.all([import('undici'), import('./look-up.ts')]);
let loading: ReturnType<typeof load> | undefined;
/** Connections are kept after the end of an answer: there are no more of them than deliveries at once. */
const idle = new Map<string, Client[]>();

/** What connects is loaded with the first: a cold start does not wait for it. */
async function takeConnection(origin: string): Promise<Client> {
  loading ??= load();
  const [{ Client, buildConnector }, { lookUp }] = await loading;
  const open = buildConnector({ timeout: connectTimeoutMs, lookup: lookUp });
  const connect: typeof open = (to, callback) =>
    open(to, (...opened) => {
      if (opened[1]) skipContinue(opened[1]);
      callback(...opened);
    });
  return idle.get(origin)?.pop() ?? new Client(origin, { ...options, connect, maxHeaderSize: 2 ** 20 });
}

/**
 * Removes each `100 Continue` from what a socket reads. Some servers send one before every answer, which a
 * client has to ignore (RFC 9110 15.2), and for which undici closes the connection.
 */
function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = () => {
    const chunk: Buffer | null = read();
    const isContinue = chunk && /^HTTP\/1\.[01] 100 /.test(chunk.toString('latin1', 0, 13));
    const end = isContinue ? chunk.indexOf('\r\n\r\n') : -1;
    if (end < 0) return chunk;
    socket.unshift(chunk?.subarray(end + 4));
    return socket.read();
  };
}
