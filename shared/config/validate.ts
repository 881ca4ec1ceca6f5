import * as v from 'valibot';
import { InputError, type Problem } from '../errors.ts';

export type Checked<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Returns the typed value, or every problem. Messages of `schema` are remedies, `at` prefixes fields. */
export function check<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  at = '',
): Checked<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, input);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, problems: result.issues.map((issue) => toProblem(issue, at)) };
}

type Checks<Values> = { readonly [Name in keyof Values]: Checked<Values[Name]> };

/** Returns the values of several checks by their names, or the problems of all of them. */
export function checkAll<Values extends object>(checks: Checks<Values>): Checked<Values> {
  const all = Object.entries<Checked<unknown>>(checks);
  const problems = all.flatMap(([, each]) => (each.ok ? [] : each.problems));
  if (problems.length > 0) return { ok: false, problems };
  const values = all.map(([name, each]) => [name, each.ok && each.value]);
  return { ok: true, value: Object.fromEntries(values) as Values };
}

/** Returns the value of a request that was checked. Throws InputError with every problem. */
export function unwrap<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw new InputError(checked.problems);
  return checked.value;
}

/** Returns a part of a request as `schema` types it; `field` names it in problems. Throws InputError. */
export function validate<Schema extends v.GenericSchema>(schema: Schema, input: unknown, field?: string) {
  return unwrap(check(schema, input, field));
}

/** Returns a failed check with one problem. */
export function reject(field: string, value: unknown, remedy: string): Checked<never> {
  return { ok: false, problems: [{ field, value, remedy }] };
}

function toProblem(issue: v.BaseIssue<unknown>, at: string): Problem {
  const path = issue.path ?? [];
  const steps = path.map(({ type, key }) => (type === 'array' ? `[${key}]` : `.${key}`)).join('');
  const field = (at + steps).replace(/^\./, '') || 'body';
  // An unknown field is rejected for its name; its value may be a secret.
  const value = issue.expected === 'never' ? '(not shown)' : (path.at(-1)?.value ?? issue.input);
  return { field, value, remedy: remedyFor(issue) };
}

/** Replaces valibot's messages where a schema cannot set its own: unknown, missing and misnamed fields. */
function remedyFor(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === 'never') return 'No such field: correct its name or remove it.';
  if (issue.type.endsWith('object') && issue.input === undefined) return 'Required: add it.';
  if (issue.message.startsWith('Invalid type: Expected Object'))
    return 'Give it as an object: {"name": value}.';
  if (issue.type === 'variant' && issue.expected !== 'Object')
    return `Use one of ${issue.expected?.replaceAll(/[()]| \| undefined/g, '')}.`;
  return issue.message;
}
