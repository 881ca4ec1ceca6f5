import { grpcOutcomes, type ReasonCodes } from './reason-codes.ts';

export const outcomeKinds = ['delivered', 'transient', 'permanent', 'ambiguous'] as const;

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

/**
 * The outcome of each reason code. The more specific code takes precedence: 404 over 4xx. A code is permanent
 * only if it says that this very message can never be accepted.
 */
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

const aboutTarget = new Set(['unsent', '502', '503', '504', '520', 'grpc:UNAVAILABLE']);
const aboutLimit = new Set(['429', 'grpc:RESOURCE_EXHAUSTED']);

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
