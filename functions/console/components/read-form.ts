import { printParseErrorCode } from 'jsonc-parser';
import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import { InputError, type Problem } from '../../../shared/errors.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import { findJsonError } from '../../../shared/json/find-json-error.ts';
import { UntilSchema } from '../../../shared/time-text.ts';

const ReasonSchema = v.object({ reason: reasonEntry, until: UntilSchema });

/** The reason in a form, and the end of a hold or a pause. Throws an InputError. */
export function readReason(form: URLSearchParams) {
  return validate(ReasonSchema, { reason: form.get('reason') ?? '', until: form.get('until') ?? '' });
}

/** The command of the button that sent a form. Throws an InputError. */
export function readCommand<Name extends string>(form: URLSearchParams, names: readonly Name[]): Name {
  return validate(v.picklist(names, `Use one of ${names.join(', ')}.`), form.get('command') ?? '', 'command');
}

/** The number in a field. Other text is returned unchanged, for the validation to report. */
export function readNumber(text: string | undefined): number | string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

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

/** `line 1, column 7: value expected`. */
function locate(text: string): string {
  const first = findJsonError(text);
  if (!first) return 'this is not JSON';
  const before = text.slice(0, first.offset).split(/\r\n|\r|\n/);
  const words = printParseErrorCode(first.code)
    .replace(/(?!^)([A-Z])/g, ' $1')
    .toLowerCase();
  const problem = words.replace('end of file expected', 'nothing expected after the end of the value');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${problem}`;
}
