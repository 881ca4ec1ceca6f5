import * as v from 'valibot';
import { toStorableText } from '../database/storable-text.ts';

/** The fingerprint of an error group in a request. */
export const FingerprintSchema = v.pipe(
  v.string('Give a fingerprint.'),
  v.trim(),
  v.nonEmpty('Give a fingerprint.'),
  v.maxLength(100, 'Must have at most 100 characters.'),
  v.transform((text) => toStorableText(text)),
);
