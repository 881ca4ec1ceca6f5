import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import { codeOf } from '../exit-codes.ts';
import type { Problem } from './answers.ts';

/** A request that the API rejected, or failed to serve. */
export class ApiError extends CommandError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    const { status, detail, problems } = problem;
    const lines = (Array.isArray(problems) ? problems : []).map(
      ({ field, value, remedy }) => `  ${field}${show(value)}: ${remedy}`,
    );
    super(isAboutCaller(status) ? 'unreachable' : 'failed', [detail, ...lines].join('\n'));
    this.problem = problem;
  }
}

/** Whether the deployment is away, and may be back in a moment. */
function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return error.problem.status === 503;
  return error instanceof CommandError && error.exitCode === codeOf('unreachable');
}

const maxAwayMs = 60_000;

/** Repeats the request of a command that follows something, for up to a minute of an outage. */
export async function rideOut<Answer>(request: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const until = Date.now() + maxAwayMs;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isOutage(error) || Date.now() > until) throw error;
    }
    await delay(1000, undefined, { signal });
  }
}

function isAboutCaller(status: number): boolean {
  return status === 401 || status === 403;
}

function show(value: unknown): string {
  return value === undefined ? '' : ` = ${JSON.stringify(value).slice(0, 80)}`;
}
