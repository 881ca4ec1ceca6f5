import * as v from 'valibot';
import type { HeaderValue } from '../../../shared/events.ts';
import { toStorableText } from '../../../shared/storable-text.ts';

const bytes = v.strictObject({ base64: v.pipe(v.string('Give it as text.'), v.base64('Must be base64.')) });
const plain = v.union([v.string(), bytes], 'Give text, or {"base64": "..."} for bytes.');
// What PostgreSQL cannot hold as text is kept as bytes, in captured headers too.
const storable = v.pipe(
  v.string(),
  v.check(
    (text) => toStorableText(text) === text,
    'Give U+0000 and halves of characters as {"base64": "..."}.',
  ),
);
const headerValue = v.union(
  [storable, bytes, v.pipe(v.array(v.union([storable, bytes])), v.minLength(1))],
  'Give text, {"base64": "..."}, or a list of these.',
);

/**
 * What one event is sent with in place of its own. Either may be left out; headers are all of them, not some. The body
 * is text, so that its numbers stay as they are written, or bytes.
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
);

export type Edit = {
  readonly body?: Buffer | undefined;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
};
