import * as v from 'valibot';

/**
 * Paths of masked values: `$.customer.email` in the payload, where `*` matches any name or element
 * (`$.items.*.card`) and `$` is the whole payload; `headers.x-user` is a header.
 */
export const MaskSchema = v.array(
  v.pipe(
    v.string('Give a path as text.'),
    v.regex(
      /^(\$(\.[^.\s]+)*|headers\.\S+)$/,
      'Use a path such as $.customer.email, $.items.*.card or headers.x-user.',
    ),
  ),
  'Give a list of paths, such as ["$.customer.email"].',
);
