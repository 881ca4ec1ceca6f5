import type { Problem } from '../../../shared/errors.ts';

/** The field of the form that shows each problem of a replay request. */
const formFields: Readonly<Record<string, string>> = {
  reason: 'reason',
  ratePerSecond: 'rate',
  ramp: 'ramp',
  canary: 'canary',
  startAt: 'startAt',
  notAfter: 'notAfter',
  gate: 'stopAbove',
  patch: 'patch',
};

/** Remedies in the units of the form, where they differ from those of the request. */
const remedies: Readonly<Record<string, string>> = { stopAbove: 'Use a percentage from 0 to 100.' };

/** What is wrong with each field of the form, and the problems of all else. */
export function placeProblems(problems: readonly Problem[]) {
  const atFields: Record<string, string> = {};
  const others: Problem[] = [];
  for (const problem of problems) {
    const field = formFields[/^\w+/.exec(problem.field)?.[0] ?? ''];
    if (field) atFields[field] = remedies[field] ?? problem.remedy;
    else others.push(problem);
  }
  return { atFields, others };
}
