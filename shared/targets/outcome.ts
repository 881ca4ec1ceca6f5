/** What came of one delivery. `ambiguous`: it was sent, and nobody knows whether it was processed. */
export type Outcome = {
  readonly kind: 'delivered' | 'transient' | 'permanent' | 'ambiguous';
  readonly responseStatus?: number;
  readonly responseBody?: string;
  readonly error?: string;
};

/** Answers by which a target says that this very message can never be accepted. */
const permanentStatuses = new Set([400, 406, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451]);

/**
 * Everything else that is not a success is transient: a target that is down, busy, not yet deployed (404), or that
 * does not know us yet (401, 403) says nothing about the message. A redirect is not followed and counts as such.
 */
export function judgeStatus(status: number): Outcome['kind'] {
  if (status >= 200 && status < 300) return 'delivered';
  return permanentStatuses.has(status) ? 'permanent' : 'transient';
}

/** gRPC codes (grpc/grpc doc/statuscodes.md) after which the message may or may not have been accepted. */
const ambiguousCodes = new Set([1, 2, 4, 13]);
/** INVALID_ARGUMENT and OUT_OF_RANGE: the message itself is at fault. */
const permanentCodes = new Set([3, 11]);

export function judgeGrpcCode(code: number | undefined): Outcome['kind'] {
  if (code === undefined || ambiguousCodes.has(code)) return 'ambiguous';
  return permanentCodes.has(code) ? 'permanent' : 'transient';
}
