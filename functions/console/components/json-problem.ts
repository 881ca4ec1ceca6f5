import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

/** Returns where a text stops being JSON, such as `line 1, column 7: value expected`; undefined for JSON. */
export function findJsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return locate(text);
  }
}

/** The messages of JSON.parse differ between versions, and not all of them have a position. */
function locate(text: string): string {
  const [first] = listErrors(text);
  if (!first) return 'this is not JSON';
  const before = text.slice(0, first.offset).split(/\r\n|\r|\n/);
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `line ${before.length}, column ${column}: ${describe(first)}`;
}

function listErrors(text: string): readonly ParseError[] {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // The parser is recursive: brackets nested by the thousand exceed the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return errors;
}

/** `ValueExpected` as `value expected`. */
function describe({ error }: ParseError): string {
  const words = printParseErrorCode(error).replace(/(?!^)([A-Z])/g, ' $1');
  return words.toLowerCase().replace('end of file expected', 'nothing expected after the end of the value');
}
