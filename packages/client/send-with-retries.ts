import { setTimeout as wait } from 'node:timers/promises';
import { CaptureError } from './capture-error.ts';
import type { Report } from './report.ts';
import { type Sender, sendReport } from './send.ts';

const firstDelayMs = 200;
const maxDelayMs = 2000;

/** Sends a report up to `attempts` times, and waits between them. Throws the last CaptureError. */
export async function sendWithRetries(sender: Sender, report: Report, attempts: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendReport(sender, report);
    } catch (error) {
      if (!(error instanceof CaptureError) || error.reason === 'refused' || attempt >= attempts) throw error;
      await wait(backoff(attempt, error.retryAfterMs));
    }
  }
}

/** Full jitter, after what capture asks for: many consumers fail in the same moment. */
function backoff(attempt: number, retryAfterMs = 0): number {
  const jitter = Math.random() * firstDelayMs * 2 ** (attempt - 1);
  return Math.min(retryAfterMs + jitter, maxDelayMs);
}
