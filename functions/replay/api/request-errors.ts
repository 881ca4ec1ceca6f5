import { OfficeError } from '../../../shared/errors.ts';

/** The path is there, but not for this method. */
export class MethodNotAllowedError extends OfficeError {
  readonly code = 'METHOD_NOT_ALLOWED';
}

/** The body is larger than any request has to be. */
export class TooLargeError extends OfficeError {
  readonly code = 'TOO_LARGE';
}

/** The body is something else than JSON. */
export class UnsupportedMediaTypeError extends OfficeError {
  readonly code = 'UNSUPPORTED_MEDIA_TYPE';
}
