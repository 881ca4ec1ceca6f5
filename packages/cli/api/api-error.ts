import { CommandError } from '../command-error.ts';
import type { Problem } from './answers.ts';

/** A request that the API rejected, or failed to serve. */
export class ApiError extends CommandError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    const { status, detail, problems = [] } = problem;
    const lines = problems.map(({ field, value, remedy }) => `  ${field}${show(value)}: ${remedy}`);
    super(isAboutCaller(status) ? 'unreachable' : 'failed', [detail, ...lines].join('\n'));
    this.problem = problem;
  }
}

function isAboutCaller(status: number): boolean {
  return status === 401 || status === 403;
}

function show(value: unknown): string {
  return value === undefined ? '' : ` = ${JSON.stringify(value).slice(0, 80)}`;
}
