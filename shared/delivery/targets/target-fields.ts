import * as v from 'valibot';

export const text = v.pipe(v.string('Give it as text.'), v.nonEmpty('Must not be empty: omit the field.'));

const always = 'connection|content-length|transfer-encoding|keep-alive|upgrade|expect|dlo-.*';

/** Names of headers, in lower case, except those of the connection and of the product. */
export const namesOfHeaders = v.optional(
  v.array(
    v.pipe(
      v.string('Use the names of headers.'),
      v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, 'Must be the name of a header in lower case.'),
      v.regex(new RegExp(`^(?!(${always}|host|te|trailer)$)`), 'Remove it: no event can set this header.'),
    ),
    'Use a list of the names of headers.',
  ),
  [],
);

/** Headers that a route adds to each delivery. `more`: those that its kind sets itself, as expressions. */
export function headersExcept(...more: readonly string[]) {
  const name = v.pipe(
    v.string(),
    v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'Must be the name of a header: letters, digits and hyphens.'),
    v.regex(
      new RegExp(`^(?!(${[always, ...more].join('|')})$)`, 'i'),
      'Remove it: this header is set with each delivery.',
    ),
  );
  const value = v.pipe(
    v.string('A header value is text.'),
    v.regex(/^[\t\x20-\x7e]*$/, 'Must be printable ASCII.'),
  );
  return v.optional(
    v.pipe(
      v.record(name, value),
      v.check(isEachNamedOnce, 'Give each header once: names in upper and lower case are the same.'),
    ),
    {},
  );
}

function isEachNamedOnce(headers: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return new Set(names).size === names.length;
}

export const httpUrl = v.pipe(
  v.string('Give the URL as text.'),
  v.check(isHttpUrl, 'Must be an http:// or https:// URL without user name or password.'),
);

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
