import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { InputError, type Problem } from '../../../shared/errors.ts';

/** Parses the JSON in a field. Throws an InputError. */
export function readJson(field: string, text: string): unknown {
  const problems = listJsonProblems(field, text);
  if (problems.length > 0) throw new InputError(problems);
  return JSON.parse(text);
}

/** Where the text of a field stops being JSON. Does not repeat the text, as it may be a secret. */
export function listJsonProblems(field: string, text: string): Problem[] {
  try {
    JSON.parse(text);
    return [];
  } catch {
    return [{ field, value: '(not shown)', remedy: `Must be JSON: ${locate(text)}.` }];
  }
}

/**
 * `line 1, column 7: value expected`. The messages of JSON.parse differ between versions, and not all of them
 * have a position.
 */
function locate(text: string): string {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // The parser is recursive: brackets nested by the thousand exceed the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (!first) return 'this is not JSON';
  const before = text.slice(0, first.offset).split(/\r\n|\r|\n/);
  const words = printParseErrorCode(first.error)
    .replace(/(?!^)([A-Z])/g, ' $1')
    .toLowerCase();
  const problem = words.replace('end of file expected', 'nothing expected after the end of the value');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${problem}`;
}
