import * as v from 'valibot';
import { toStorableText } from '../../database/storable-text.ts';

/**
 * A text that an operator writes, such as a note: without spaces around it, and as PostgreSQL can store it.
 */
export function operatorText(max: number) {
  return v.pipe(
    v.string('Give it as text.'),
    v.trim(),
    v.maxLength(max, `Must have at most ${max} characters.`),
    v.transform((text) => toStorableText(text)),
  );
}

/** The reason for an action. */
export const reasonEntry = v.pipe(
  v.string('Give the reason as text.'),
  v.trim(),
  v.nonEmpty('Give a reason: the audit records it.'),
  v.maxLength(1000, 'Must have at most 1000 characters.'),
  v.description('Why; recorded in the audit.'),
  v.transform((text) => toStorableText(text)),
);

/** Whether an action is only previewed. */
export const dryRunEntry = v.exactOptional(
  v.pipe(v.boolean('Use true or false.'), v.description('Returns what would change, and changes nothing.')),
  false,
);
