import * as v from 'valibot';

/**
 * Paths of what is not for everybody's eyes: `$.customer.email` in the payload, where `*` is any name or element,
 * `$.items.*.card`; `$` is the whole of it; `headers.x-user` is a header.
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
