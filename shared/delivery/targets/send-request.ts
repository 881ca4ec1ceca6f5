import { toStorableText } from '../../database/storable-text.ts';
import type { Address } from './address.ts';
import { keepConnection, takeConnection } from './connections.ts';
import { judge, type Outcome } from './outcome.ts';
import { reasonCodesOfError, reasonCodesOfTimeout } from './reason-codes.ts';
import { parseRetryAfter } from './retry-after.ts';

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
  readonly address: Address;
  /** Names and values in turn: only that form keeps repeated names and their order. */
  readonly headers: string[];
  readonly body: Buffer;
  /** By performance.now(), in ms. */
  readonly endsAt: number;
  readonly timeoutSeconds: number;
};

/** POSTs a body until `endsAt`. Follows no redirect. `read` judges an answer; every failure is an outcome. */
export async function sendRequest(request: Request, read: (answer: Answer) => Outcome): Promise<Outcome> {
  const { address, headers, body, endsAt, timeoutSeconds } = request;
  const { origin, path } = address;
  const connection = await takeConnection(origin);
  return new Promise((resolve) => {
    let isSent = false;
    let status = 0;
    let retryAfterSeconds: number | undefined;
    const chunks: Buffer[] = [];
    let size = 0;

    let late: NodeJS.Immediate | undefined;
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      // Another delivery may use the connection already.
      clearImmediate(late);
      resolve(outcome);
    };
    const giveUp = () => {
      end({ ...judge(reasonCodesOfTimeout(isSent)), error: `no answer within ${timeoutSeconds} s` });
      void connection.destroy();
    };
    // A process that stood still reads an answer that has arrived meanwhile before it gives up.
    const timer = setTimeout(() => {
      late = setImmediate(giveUp);
    }, endsAt - performance.now());

    // Events and one timer: signals and async iteration, which do the same, double the processor time of a
    // delivery.
    connection.dispatch(
      { path, method: 'POST', headers, body },
      {
        // The connection is open, and the whole request is written to it now.
        onRequestStart() {
          isSent = true;
        },
        onResponseStart(_, statusCode, answered) {
          status = statusCode;
          retryAfterSeconds = parseRetryAfter([answered['retry-after']].flat()[0], Date.now());
        },
        // Reads up to 64 KiB and discards the rest: the connection can be reused only after the end of the
        // answer.
        onResponseData(_, chunk) {
          if (size < maxReadChars) chunks.push(chunk);
          size += chunk.length;
        },
        onResponseEnd() {
          // A target that rejects a large body early may never read its end, and a later request would wait
          // behind it.
          if (status >= 300 && body.length > maxUnreadBytes) void connection.destroy();
          else keepConnection(origin, connection);
          const text = toStorableText(Buffer.concat(chunks).toString('utf8'), maxReadChars);
          end(read({ status, text, retryAfterSeconds }));
        },
        onResponseError(_, error) {
          void connection.destroy();
          end({ ...judge(reasonCodesOfError(error, isSent)), error: describeError(error) });
        },
      },
    );
  });
}

/** Returns the message of an error as text that PostgreSQL can store. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An address that answers on neither IPv4 nor IPv6 fails with an AggregateError without a message.
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return toStorableText(readTlsError(cause) ?? (cause.message || cause.name), 500);
}

/**
 * OpenSSL's message has its source file and the number of a thread: an error of TLS is described by its
 * reason and code.
 */
function readTlsError(
  error: Error & { readonly code?: unknown; readonly reason?: unknown },
): string | undefined {
  const isTls = typeof error.code === 'string' && error.code.startsWith('ERR_SSL_');
  return isTls && typeof error.reason === 'string' ? `${error.reason} (${error.code})` : undefined;
}
