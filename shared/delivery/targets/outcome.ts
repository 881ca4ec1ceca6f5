import { getSystemErrorMap } from 'node:util';

export const failureKinds = ['transient', 'permanent', 'ambiguous'] as const;
export const outcomeKinds = ['delivered', ...failureKinds] as const;
/** An attempt is lost with its worker. */
export const attemptOutcomes = [...outcomeKinds, 'lost'] as const;

type OutcomeKind = (typeof outcomeKinds)[number];

/** `ambiguous`: it was sent, but whether the target processed it is unknown. */
export type Outcome = {
  readonly kind: OutcomeKind;
  /** The reason codes behind `kind`: a route can map them to another outcome. */
  readonly reasonCodes?: ReasonCodes;
  readonly responseStatus?: number;
  readonly responseBody?: string;
  readonly error?: string;
  /** Seconds that the target asked to wait before the next delivery. */
  readonly retryAfterSeconds?: number;
  /** It was not sent, because of the message itself: that shows nothing about the target. */
  readonly isRefused?: true;
};

export type OutcomeTable = Readonly<Record<string, OutcomeKind>>;

/** From the most specific to its class: `['404', '4xx']`, `['grpc:NOT_FOUND', 'grpc:5']`. */
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

/** The more specific code counts: 404 over 4xx. Permanent: this very message can never be accepted. */
const table: OutcomeTable = {
  '2xx': 'delivered',
  '3xx': 'transient', // Redirects are not followed.
  '4xx': 'transient', // Access (401, 403) or target (404) missing so far, or busy (408, 409, 423, 425, 429).
  400: 'permanent', // Bad Request
  406: 'permanent', // Not Acceptable
  410: 'permanent', // Gone
  411: 'permanent', // Length Required
  413: 'permanent', // Content Too Large
  414: 'permanent', // URI Too Long
  415: 'permanent', // Unsupported Media Type
  416: 'permanent', // Range Not Satisfiable
  417: 'permanent', // Expectation Failed
  422: 'permanent', // Unprocessable Content
  431: 'permanent', // Request Header Fields Too Large
  451: 'permanent', // Unavailable For Legal Reasons
  '5xx': 'transient', // The target failed: down, overloaded (503), broken (500).
  // From a gateway that forwarded the message and got no answer, or half of one. Gateways send 502 also if
  // they could not connect, without saying which. 520 and 524 are Cloudflare's.
  502: 'ambiguous',
  504: 'ambiguous',
  520: 'ambiguous',
  524: 'ambiguous',

  // Network errors are judged by the moment at which they occur, whatever their code.
  unsent: 'transient', // ECONNREFUSED, ENOTFOUND, EAI_AGAIN, EHOSTUNREACH, ENETUNREACH, CERT_..., ETIMEDOUT
  unanswered: 'ambiguous', // ECONNRESET, EPIPE, timeout

  ...Object.fromEntries(Object.entries(grpcOutcomes).map(([name, kind]) => [`grpc:${name}`, kind])),
};

/** The first reason code in the table counts. An unknown code may mean anything: ambiguous. */
export function judge(reasonCodes: ReasonCodes): Pick<Outcome, 'kind' | 'reasonCodes'> {
  return { kind: lookUp(table, reasonCodes) ?? 'ambiguous', reasonCodes };
}

/** A route's `outcomes` take precedence over the whole table. */
export function overrule(outcome: Outcome, overrides: OutcomeTable): Outcome {
  const kind = lookUp(overrides, outcome.reasonCodes ?? []);
  if (kind === undefined || kind === outcome.kind) return outcome;
  const { error = `${outcome.reasonCodes?.[0]} means ${kind} on this route.`, ...rest } = outcome;
  return kind === 'delivered' ? { ...rest, kind } : { ...rest, kind, error };
}

function lookUp(outcomes: OutcomeTable, reasonCodes: ReasonCodes): OutcomeKind | undefined {
  const code = reasonCodes.find((each) => Object.hasOwn(outcomes, each));
  return code === undefined ? undefined : outcomes[code];
}

/**
 * The subject of the outcome of a delivery. `limit`: the target takes no more for now. `target`: what no event
 * can cause. `event`: an answer to this event, of which the target may answer others differently; a timeout
 * counts for the event first.
 */
export type Meaning = 'accepted' | 'limit' | 'target' | 'event';

// From 520 on those of Cloudflare: its origin is down, or not reached.
const gateways = ['502', '503', '504', '520', '521', '522', '523', '525', '526', '530'];
const aboutTarget = new Set([...gateways, 'unsent', 'grpc:UNAVAILABLE']);
const aboutLimit = new Set(['429', 'grpc:RESOURCE_EXHAUSTED']);

/** Returns what an outcome is about, by its reason codes. */
export function meaningOf({ kind, reasonCodes = [], retryAfterSeconds }: Outcome): Meaning {
  if (kind === 'delivered') return 'accepted';
  const has = (codes: ReadonlySet<string>) => reasonCodes.some((code) => codes.has(code));
  if (has(aboutLimit) || (reasonCodes.includes('503') && retryAfterSeconds !== undefined)) return 'limit';
  return has(aboutTarget) || isCutOff({ reasonCodes }) ? 'target' : 'event';
}

/** Whether the connection ended before an answer. */
export function isCutOff({ reasonCodes = [] }: Pick<Outcome, 'reasonCodes'>): boolean {
  return reasonCodes.includes('unanswered') && !reasonCodes.includes('timeout');
}

const grpcNames = Object.keys(grpcOutcomes);

/** Returns the reason codes of an HTTP answer: its status and the class of that. */
export function reasonCodesOfStatus(status: number): ReasonCodes {
  return [String(status), `${Math.floor(status / 100)}xx`];
}

/** Without a status the result of the call is unknown. */
export function reasonCodesOfGrpcStatus(code: number | undefined): ReasonCodes {
  return code === undefined ? ['unanswered'] : [`grpc:${grpcNames[code] ?? code}`, `grpc:${code}`];
}

/** A rejected certificate and a failed connection are always unsent. */
export function reasonCodesOfError(error: unknown, isSent: boolean): ReasonCodes {
  const code = error instanceof Error && 'code' in error && error.code ? String(error.code) : '';
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
