import * as v from 'valibot';
import { toStorableText } from '../database/storable-text.ts';
import type { HeaderValue } from '../message/event.ts';

const bytes = v.strictObject({ base64: v.pipe(v.string('Give it as text.'), v.base64('Must be base64.')) });
const plain = v.union([v.string(), bytes], 'Give text, or {"base64": "..."} for bytes.');
// PostgreSQL's text has no U+0000 and no lone surrogates: such headers are stored as bytes, captured ones
// too.
const storable = v.pipe(
  v.string(),
  v.check(
    (text) => toStorableText(text) === text,
    'Give text with U+0000 or lone surrogates as {"base64": "..."}.',
  ),
);
const headerValue = v.union(
  [storable, bytes, v.pipe(v.array(v.union([storable, bytes])), v.minLength(1))],
  'Give text, {"base64": "..."}, or a list of these.',
);

/**
 * The edited message of one event: a body, headers or both. `headers` replaces all headers. The body is text,
 * so that numbers keep all their digits, or bytes.
 */
export const EditSchema = v.pipe(
  v.strictObject({
    body: v.optional(
      v.pipe(
        plain,
        v.transform((body) =>
          typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.base64, 'base64'),
        ),
      ),
    ),
    headers: v.optional(
      v.record(
        v.pipe(storable, v.nonEmpty('A header needs a name.')),
        headerValue,
        'Give an object: {"name": value}.',
      ),
    ),
  }),
  v.check(
    ({ body, headers }) => body !== undefined || headers !== undefined,
    'Give a body, headers, or both.',
  ),
  v.metadata({
    minProperties: 1,
    description: 'Replaces the body, the headers or both of the one event that the filter names by its id.',
  }),
);

export type Edit = {
  readonly body?: Buffer | undefined;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
};
