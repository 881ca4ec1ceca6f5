import * as v from 'valibot';
import { toStorableText } from '../../database/storable-text.ts';
import { described } from '../../response-values.ts';

/** A text of an operator, such as a note: without spaces around it, and as PostgreSQL can store it. */
export function operatorText(max: number, description: string) {
  return v.pipe(
    v.string('Give it as text.'),
    // The OpenAPI document has what comes before the transformation.
    v.description(description),
    v.trim(),
    v.maxLength(max, `Must have at most ${max} characters.`),
    v.transform((text) => toStorableText(text)),
  );
}

/** The same, but not empty; `missing` is the remedy for an empty one. */
export function requiredText(max: number, description: string, missing = 'Must not be empty.') {
  return v.pipe(operatorText(max, description), v.nonEmpty(missing));
}

/** The reason for an action. */
export const reasonEntry = requiredText(
  1000,
  'Why; recorded in the audit.',
  'Give a reason: the audit records it.',
);

/** Whether an action is only previewed. */
export const dryRunEntry = v.exactOptional(
  described(v.boolean('Use true or false.'), 'Returns what would change, and changes nothing.'),
  false,
);
