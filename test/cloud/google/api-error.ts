/** The codes that Google's APIs answer with: https://cloud.google.com/apis/design/errors#handling_errors */
const httpCodes = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type Status = keyof typeof httpCodes;

/** A failure as an API reports it: a status, and a sentence. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }

  get httpCode(): number {
    return httpCodes[this.status];
  }

  /**
   * The body of the response. `errors` is the older form, which Cloud SQL, Storage and Resource Manager keep.
   */
  get body(): object {
    const { httpCode: code, message, status } = this;
    const errors = [{ domain: 'global', reason: reasonOf(status), message }];
    return { error: { code, message, status, errors } };
  }
}

function reasonOf(status: Status): string {
  const reasons: Partial<Record<Status, string>> = {
    NOT_FOUND: 'notFound',
    ALREADY_EXISTS: 'alreadyExists',
    ABORTED: 'conflict',
    PERMISSION_DENIED: 'forbidden',
  };
  return reasons[status] ?? 'invalid';
}
