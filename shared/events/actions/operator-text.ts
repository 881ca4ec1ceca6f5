import * as v from 'valibot';
import { toStorableText } from '../../database/storable-text.ts';
import { described } from '../../response-values.ts';

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

type About = { readonly missing?: string; readonly description?: string };

/** The same, but not empty; `missing` is the remedy for an empty one. */
export function requiredText(max: number, { missing = 'Must not be empty.', ...about }: About) {
  return v.pipe(operatorText(max), v.nonEmpty(missing), v.metadata(about));
}

/** The reason for an action. */
export const reasonEntry = requiredText(1000, {
  missing: 'Give a reason: the audit records it.',
  description: 'Why; recorded in the audit.',
});

/** Whether an action is only previewed. */
export const dryRunEntry = v.exactOptional(
  described(v.boolean('Use true or false.'), 'Returns what would change, and changes nothing.'),
  false,
);
