import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.ts';

/** Repeats work while the database is unavailable, until `endsAt` in ms since the epoch; then throws. */
export async function retryWhileUnavailable<Result>(
  endsAt: number,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + waitMs >= endsAt) throw error;
      await sleep(waitMs);
    }
  }
}
