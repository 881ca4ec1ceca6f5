/**
 * Capture did not store a report. `unavailable`: another attempt may succeed. `refused`: this report can
 * never be stored, such as one that is too large.
 */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
  readonly reason: 'unavailable' | 'refused';
  /** How long capture asks to wait, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { reason: 'unavailable' | 'refused'; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}
