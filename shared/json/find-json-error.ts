import { type ParseErrorCode, visit } from 'jsonc-parser';

/**
 * Where a text stops being JSON, counted in characters from 0. The messages of JSON.parse differ between
 * versions, and not all of them have a position. Undefined for JSON, and for nesting deeper than the stack.
 */
export function findJsonError(text: string) {
  const errors: { readonly code: ParseErrorCode; readonly offset: number }[] = [];
  const onError = (code: ParseErrorCode, offset: number) => {
    errors.push({ code, offset });
    // Nothing behind it is of interest.
    throw new SyntaxError('not JSON');
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  }
  return errors[0];
}
