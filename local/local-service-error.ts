import { DeadLetterError } from '../shared/errors.ts';

/**
 * The local service cannot start or cannot continue on this machine. The message states the cause and the
 * remedy.
 */
export class LocalServiceError extends DeadLetterError {
  readonly code = 'LOCAL_SERVICE_FAILED';
}
