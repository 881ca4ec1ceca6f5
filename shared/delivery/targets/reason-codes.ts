import { getSystemErrorMap } from 'node:util';

/**
 * The codes that explain the outcome of a delivery, from the most specific to its class: `['404', '4xx']`,
 * `['ECONNRESET', 'unanswered']`, `['grpc:NOT_FOUND', 'grpc:5']`.
 */
export type ReasonCodes = readonly string[];

/** In the order of their numbers (github.com/grpc/grpc, doc/statuscodes.md). */
export const grpcOutcomes = {
  OK: 'delivered',
  CANCELLED: 'ambiguous',
  UNKNOWN: 'ambiguous',
  INVALID_ARGUMENT: 'permanent',
  DEADLINE_EXCEEDED: 'ambiguous',
  NOT_FOUND: 'transient',
  ALREADY_EXISTS: 'transient',
  PERMISSION_DENIED: 'transient',
  RESOURCE_EXHAUSTED: 'transient',
  FAILED_PRECONDITION: 'transient',
  ABORTED: 'transient',
  OUT_OF_RANGE: 'permanent',
  UNIMPLEMENTED: 'transient',
  INTERNAL: 'ambiguous',
  UNAVAILABLE: 'transient',
  DATA_LOSS: 'transient',
  UNAUTHENTICATED: 'transient',
} as const;

const grpcNames = Object.keys(grpcOutcomes);

export function reasonCodesOfStatus(status: number): ReasonCodes {
  return [String(status), `${Math.floor(status / 100)}xx`];
}

/** Without a status the result of the call is unknown. */
export function reasonCodesOfGrpcStatus(code: number | undefined): ReasonCodes {
  return code === undefined ? ['unanswered'] : [`grpc:${grpcNames[code] ?? code}`, `grpc:${code}`];
}

/** A rejected certificate and a failed connection are always unsent. */
export function reasonCodesOfError(error: unknown, isSent: boolean): ReasonCodes {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const codes = code.startsWith('ERR_SSL_') ? [code, 'EPROTO'] : [systemErrors[code] ?? code].filter(Boolean);
  return [...codes, isSent ? 'unanswered' : 'unsent'];
}

/** The errors of undici for which routes name the error of the system. */
const systemErrors: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
};

/** While waiting for an answer, or already for a connection. */
export function reasonCodesOfTimeout(isSent: boolean): ReasonCodes {
  return isSent ? ['timeout', 'unanswered'] : ['ETIMEDOUT', 'unsent'];
}

/** A misspelt code in a configuration would silently never apply. */
export function isReasonCode(text: string): boolean {
  if (text.startsWith('grpc:')) return grpcReasonCodes.has(text);
  // Codes of TLS are recognised by their underscores.
  if (/^[2-5](xx|\d\d)$|^[A-Z]+(_[A-Z0-9/]+)+$/.test(text)) return true;
  // Listed on demand: few configurations name any, and no cold start should wait for the list.
  const named = [...getSystemErrorMap().values()].map(([name]) => name);
  return [...named, 'ENOTFOUND', 'timeout', 'unsent', 'unanswered'].includes(text);
}

const grpcReasonCodes = new Set(grpcNames.slice(1).flatMap((_, i) => reasonCodesOfGrpcStatus(i + 1)));
