import { OfficeError } from '../shared/errors.ts';

/** The office cannot open on this machine as things are. The message says why, and what to do about it. */
export class CannotOpenError extends OfficeError {
  readonly code = 'CANNOT_OPEN';
}
