import { extname, join, resolve } from 'node:path';
import { DeadLetterError } from '../shared/errors.ts';

/** A clone of the repository runs its TypeScript; the package `dead-letter-office` has been built. */
export const isClone = extname(import.meta.filename) === '.ts';

/** The commands of an operator, and where the data is by default. */
export const installation = isClone
  ? { start: 'npm start', reset: 'npm run reset', dataFolder: join(import.meta.dirname, '../.data') }
  : {
      start: 'npx dead-letter-office',
      reset: 'npx dead-letter-office reset',
      dataFolder: resolve('.dead-letter-office'),
    };

/** The service cannot start or continue on this machine. The message has the cause and the remedy. */
export class LocalServiceError extends DeadLetterError {
  readonly code = 'LOCAL_SERVICE_FAILED';
}
