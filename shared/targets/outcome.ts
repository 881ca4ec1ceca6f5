import type { Signs } from './signs.ts';

export const outcomeKinds = ['delivered', 'transient', 'permanent', 'ambiguous'] as const;

type OutcomeKind = (typeof outcomeKinds)[number];

/** What came of one delivery. `ambiguous`: it was sent, and nobody knows whether it was processed. */
export type Outcome = {
  readonly kind: OutcomeKind;
  /** What it was judged by, so that a route may judge otherwise. */
  readonly signs?: Signs;
  readonly responseStatus?: number;
  readonly responseBody?: string;
  readonly error?: string;
  /** For how long the target asked to be left alone. */
  readonly retryAfterSeconds?: number;
};

/** Outcomes by sign. */
export type OutcomeTable = Readonly<Record<string, OutcomeKind>>;

/**
 * What a delivery came to, by what the target or the network said. Of two rows that fit the closer one counts: 404
 * before 4xx. Permanent is only what says that this very message can never be accepted.
 */
const table: OutcomeTable = {
  '2xx': 'delivered',
  '3xx': 'transient', // A redirect, which is not followed.
  '4xx': 'transient', // It does not know us yet (401, 403), is not there yet (404) or is busy (408, 409, 423, 425, 429).
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
  '5xx': 'transient', // It answered that it failed: down, overloaded (503), broken (500).
  // These come from a gateway: it had passed the message on, and no answer, or half of one, came back. Gateways say
  // 502 also where they could not connect; which of the two it was they do not tell. 520 and 524 are Cloudflare's.
  502: 'ambiguous',
  504: 'ambiguous',
  520: 'ambiguous',
  524: 'ambiguous',

  // Network errors count by the moment at which they come, whatever their code.
  unsent: 'transient', // ECONNREFUSED, ENOTFOUND, EAI_AGAIN, EHOSTUNREACH, ENETUNREACH, CERT_..., ETIMEDOUT
  unanswered: 'ambiguous', // ECONNRESET, EPIPE, timeout

  'grpc:CANCELLED': 'ambiguous',
  'grpc:UNKNOWN': 'ambiguous',
  'grpc:INVALID_ARGUMENT': 'permanent',
  'grpc:DEADLINE_EXCEEDED': 'ambiguous',
  'grpc:NOT_FOUND': 'transient',
  'grpc:ALREADY_EXISTS': 'transient',
  'grpc:PERMISSION_DENIED': 'transient',
  'grpc:RESOURCE_EXHAUSTED': 'transient',
  'grpc:FAILED_PRECONDITION': 'transient',
  'grpc:ABORTED': 'transient',
  'grpc:OUT_OF_RANGE': 'permanent',
  'grpc:UNIMPLEMENTED': 'transient',
  'grpc:INTERNAL': 'ambiguous',
  'grpc:UNAVAILABLE': 'transient',
  'grpc:DATA_LOSS': 'transient',
  'grpc:UNAUTHENTICATED': 'transient',
};

/** The outcome that the table has for what was seen; what it does not know may mean anything. */
export function judge(signs: Signs): Pick<Outcome, 'kind' | 'signs'> {
  return { kind: lookUp(table, signs) ?? 'ambiguous', signs };
}

/** The outcome as its route wants it judged: each sign that `overrides` names counts before the whole table. */
export function overrule(outcome: Outcome, overrides: OutcomeTable): Outcome {
  const kind = lookUp(overrides, outcome.signs ?? []);
  if (kind === undefined || kind === outcome.kind) return outcome;
  const { error = `${outcome.signs?.[0]} means ${kind} on this route.`, ...rest } = outcome;
  return kind === 'delivered' ? { ...rest, kind } : { ...rest, kind, error };
}

function lookUp(outcomes: OutcomeTable, signs: Signs): OutcomeKind | undefined {
  const sign = signs.find((each) => Object.hasOwn(outcomes, each));
  return sign === undefined ? undefined : outcomes[sign];
}
