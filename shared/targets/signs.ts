import { getSystemErrorMap } from 'node:util';

/**
 * What told the outcome of a delivery, the closest first and the class that it belongs to last: `['404', '4xx']`,
 * `['ECONNRESET', 'unanswered']`, `['grpc:NOT_FOUND', 'grpc:5']`.
 */
export type Signs = readonly string[];

/** Names of the gRPC codes, each at the place of its number: github.com/grpc/grpc, doc/statuscodes.md. */
const grpcNames = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/**
 * All that can be told of a failed connection, but for what TLS says: the names of its codes have underscores. Few
 * configurations name any, so that no cold start waits for the list.
 */
function listNetworkSigns(): string[] {
  const systemErrors = [...getSystemErrorMap().values()].map(([name]) => name);
  return [...systemErrors, 'ENOTFOUND', 'timeout', 'unsent', 'unanswered'];
}

/** The signs of an HTTP answer: its status and the class of that. */
export function signsOfStatus(status: number): Signs {
  return [String(status), `${Math.floor(status / 100)}xx`];
}

/** The signs of an answer by gRPC. Without a code nobody knows what became of the call. */
export function signsOfGrpcCode(code: number | undefined): Signs {
  return code === undefined ? ['unanswered'] : [`grpc:${grpcNames[code] ?? code}`, `grpc:${code}`];
}

/**
 * The signs of an error that came in place of an answer: its code, and `unsent` or `unanswered`. A certificate that
 * is refused and a connection that cannot be made are always unsent.
 */
export function signsOfError(error: unknown, isSent: boolean): Signs {
  const code = error instanceof Error && 'code' in error ? [String(error.code)] : [];
  return [...code, isSent ? 'unanswered' : 'unsent'];
}

/** Our own patience has ended, with an answer (`timeout`) or already with a connection, which the system calls so too. */
export function signsOfTimeout(isSent: boolean): Signs {
  return isSent ? ['timeout', 'unanswered'] : ['ETIMEDOUT', 'unsent'];
}

/** Whether a text is a sign that a delivery can show: a misspelt one would silently never apply. */
export function isSign(text: string): boolean {
  if (text.startsWith('grpc:')) return grpcSigns.has(text);
  return /^[2-5](xx|\d\d)$|^[A-Z]+(_[A-Z0-9/]+)+$/.test(text) || listNetworkSigns().includes(text);
}

const grpcSigns = new Set(grpcNames.slice(1).flatMap((_, i) => signsOfGrpcCode(i + 1)));
