import { DeadLetterError } from '../../../shared/errors.ts';

/** The path exists, but does not have this method. */
export class MethodNotAllowedError extends DeadLetterError {
  readonly code = 'METHOD_NOT_ALLOWED';
}

/** The body exceeds the limit of 1 MiB. */
export class TooLargeError extends DeadLetterError {
  readonly code = 'TOO_LARGE';
}

/** The body is not JSON. */
export class UnsupportedMediaTypeError extends DeadLetterError {
  readonly code = 'UNSUPPORTED_MEDIA_TYPE';
}
