import { DeadLetterError } from '../../errors.ts';

/** The database failed during an action: the audit has the changed events, and a repetition changes the rest. */
export class ActionCutShortError extends DeadLetterError {
  readonly code = 'CUT_SHORT';

  constructor(auditId: string, changed: number, cause: unknown) {
    super(
      `The database failed after at least ${changed} events were changed: the audit lists them under ${auditId}. ` +
        'Send the same request again for the rest.',
      { cause },
    );
  }
}
