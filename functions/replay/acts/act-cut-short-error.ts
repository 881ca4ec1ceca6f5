import { OfficeError } from '../../../shared/errors.ts';

/** Part of an act is done, and is in the audit; the same act again does the rest. */
export class ActCutShortError extends OfficeError {
  readonly code = 'CUT_SHORT';

  constructor(auditId: string, changed: number, cause: unknown) {
    super(
      `The database failed after at least ${changed} events were changed: the audit has them as act ${auditId}. ` +
        'Send the same request again for the rest.',
      { cause },
    );
  }
}
