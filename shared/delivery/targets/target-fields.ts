import * as v from 'valibot';

export const text = v.pipe(v.string('Give it as text.'), v.nonEmpty('Must not be empty: omit the field.'));

export const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'Must be the name of a header: letters, digits and hyphens.'),
  v.regex(
    /^(?!(connection|content-length|transfer-encoding|keep-alive|upgrade|expect|dlo-.*)$)/i,
    'Remove it: this header is set with each delivery.',
  ),
);

export const headerValue = v.pipe(
  v.string('A header value is text.'),
  v.regex(/^[\t\x20-\x7e]*$/, 'Must be printable ASCII.'),
);

export const httpUrl = v.pipe(
  v.string('Give the URL as text.'),
  v.check(isHttpUrl, 'Must be an http:// or https:// URL without user name or password.'),
);

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
