import * as v from 'valibot';
import { toStorableText } from '../../database/storable-text.ts';

/**
 * A text that an operator writes, such as a reason or a note: without spaces around it, and as PostgreSQL can
 * store it.
 */
export function operatorText(max: number) {
  return v.pipe(
    v.string('Give it as text.'),
    v.trim(),
    v.maxLength(max, `Must have at most ${max} characters.`),
    v.transform((text) => toStorableText(text)),
  );
}
