import { setTimeout as pause } from 'node:timers/promises';
import { digest } from '../shared/capture/identity.ts';
import { errorCodeOf } from '../shared/database/unavailable.ts';
import { isObject, parseJson } from '../shared/json/parse-json.ts';
import type { Authorize } from './authorize.ts';
import { CommandError } from './command-error.ts';
import { signRequest } from './sign-request.ts';

/** An event as capture answers it. */
export type Captured = {
  readonly isNew: boolean;
  /** The event that it contradicts. */
  readonly conflict?: string;
};

/** Stores lines as one batch. Returns their events, or undefined if capture does not read as much at once: it says so, or breaks the connection twice. */
export type SendLines = (lines: readonly Buffer[]) => Promise<readonly Captured[] | undefined>;

export type SendOptions = {
  readonly url: URL;
  readonly authorize: Authorize;
  /** The shared secret of a deployment that requires signatures. */
  readonly secret?: string | undefined;
  /** No request is repeated after it. */
  readonly stop: AbortSignal;
  /** Prints that a request failed and is sent again. */
  readonly warn: (message: string) => void;
  /** How long capture may be unavailable, in ms. */
  readonly timeoutMs?: number;
};

const requestTimeoutMs = 60_000;
const maxPauseMs = 10_000;

/**
 * Sends lines of JSON to capture, and repeats the same request while capture is unavailable: for 5 minutes, or until `stop`.
 * The lines of a batch are stored all or none. Throws CommandError if they were not stored, or if that is unknown.
 */
export function openCapture(options: SendOptions): SendLines {
  const { stop, warn, timeoutMs = 5 * 60_000 } = options;
  return async (lines) => {
    const body = Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [lineFeed, line])));
    const giveUpAt = Date.now() + timeoutMs;
    let resets = 0;
    for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const answer = await post(options, body);
      if (answer.kind === 'answered') return judge(options.url, answer);
      resets += answer.isReset ? 1 : 0;
      // A server closes the connection while it is sent a body that is too large: the answer may be lost.
      if (resets > 1) return undefined;
      const reason = `${options.url.href} is unavailable (${answer.reason}).`;
      if (stop.aborted || Date.now() + pauseMs > giveUpAt) throw new CommandError(reason);
      warn(`${reason} Trying again in ${pauseMs / 1000} s ...`);
      await pause(pauseMs, undefined, { signal: stop }).catch(() => {});
    }
  };
}

const lineFeed = Buffer.from('\n');

type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly isReset?: boolean };

async function post({ url, authorize, secret }: SendOptions, body: Buffer): Promise<Answer> {
  const authorization = secret === undefined ? await authorize() : undefined;
  // The same batch is one delivery, whenever it is sent: a second run changes nothing.
  const headers = {
    'content-type': 'application/x-ndjson',
    'idempotency-key': `import-${digest(body)}`,
  };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        ...(secret !== undefined && { 'dlo-signature': signRequest(secret, headers, body) }),
        ...(authorization !== undefined && { authorization }),
      },
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    const { status } = response;
    const isPassing = status === 408 || status === 429 || status >= 500;
    return isPassing
      ? { kind: 'unavailable', reason: `${status} ${text.slice(0, 200)}`.trim() }
      : { kind: 'answered', status, text };
  } catch (error) {
    const { message, cause } = error as Error;
    const isReset = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(errorCodeOf(cause));
    const reason = cause instanceof Error ? cause.message || message : message;
    return { kind: 'unavailable', reason, isReset };
  }
}

const isCapture = 'Give the URL of the capture function; for npm start http://localhost:8080/capture.';
const remedies: Readonly<Record<number, string>> = {
  401: 'Its callers must authenticate: log in to gcloud, or set CAPTURE_SECRETS to a secret of the deployment.',
  403: 'Add yourself to sources of the stack, with kind: caller.',
};

/** Only an answer with a list of events says that the lines are stored. */
function judge(
  url: URL,
  { status, text }: { readonly status: number; readonly text: string },
): readonly Captured[] | undefined {
  if (status === 413) return undefined;
  const json = status === 200 ? parseJson(text) : undefined;
  if (isObject(json) && Array.isArray(json.events)) return json.events;
  const found = status === 200 ? 'with something other than events' : `${status} ${text.slice(0, 200)}`;
  throw new CommandError(`${url.href} answered ${found.trim()}. ${remedies[status] ?? isCapture}`);
}

/** Lines of one batch, and their events; undefined for a line that alone is larger than capture reads. */
export type Sent<Item> = {
  readonly items: readonly Item[];
  readonly events: readonly Captured[] | undefined;
};

/** Sends items in order, in as many batches as capture makes necessary. */
export async function* sendInParts<Item extends { readonly bytes: Buffer }>(
  send: SendLines,
  items: readonly Item[],
): AsyncGenerator<Sent<Item>> {
  const events = await send(items.map(({ bytes }) => bytes));
  if (events || items.length === 1) return yield { items, events };
  const half = Math.ceil(items.length / 2);
  yield* sendInParts(send, items.slice(0, half));
  yield* sendInParts(send, items.slice(half));
}
