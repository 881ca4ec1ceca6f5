import { type ParseErrorCode, visit } from 'jsonc-parser';

/** The parser takes 80 ms for as many spaces. */
const maxRead = 2 ** 20;

/**
 * Where a text stops being JSON, counted in characters from 0. The messages of JSON.parse differ between
 * versions, and not all of them have a position. Undefined for JSON, for nesting deeper than the stack, and
 * for errors behind the first MiB.
 */
export function findJsonError(text: string) {
  const errors: { readonly code: ParseErrorCode; readonly offset: number }[] = [];
  const onError = (code: ParseErrorCode, offset: number, length: number) => {
    if (text.length <= maxRead || offset + length < maxRead) errors.push({ code, offset });
    // Nothing behind it is of interest.
    throw new SyntaxError('not JSON');
  };
  try {
    visit(text.slice(0, maxRead), { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  }
  return errors[0];
}
