import { type Counts, countCaptured } from './count-captured.ts';
import { readBatches } from './read-batches.ts';
import { type SendLines, sendInParts } from './send-lines.ts';

export type ImportDeps = {
  readonly send: SendLines;
  /** Nothing is read after the batch in progress. */
  readonly stop: AbortSignal;
  /** Reports a line that was not imported. */
  readonly reject: (line: number, reason: string) => void;
  /** Called after each batch. */
  readonly onProgress: () => void;
};

export type Progress = {
  /** All lines up to this one are dealt with. */
  line: number;
  /** Events that were closed where they come from. */
  closed: number;
  rejected: number;
  readonly events: Counts;
};

/**
 * Sends the lines of a file to capture, in order and in batches, from the line after `progress.line` on. A second run sends
 * the same batches, which are repetitions. Changes `progress`, which is valid after an error, too.
 */
export async function importLines(
  { send, stop, reject, onProgress }: ImportDeps,
  chunks: AsyncIterable<Buffer>,
  progress: Progress,
): Promise<void> {
  const rejectLine = (line: number, reason: string) => {
    progress.rejected += 1;
    reject(line, reason);
  };
  for await (const { lastLine, items, rejected, closed } of readBatches(chunks, progress.line + 1)) {
    for (const { line, reason } of rejected) rejectLine(line, reason);
    for await (const sent of items.length > 0 ? sendInParts(send, items) : []) {
      if (sent.events) countCaptured(progress.events, sent.events);
      else rejectLine(sent.items[0]?.line ?? 0, 'is larger than MAX_BODY_BYTES of the deployment');
    }
    progress.closed += closed;
    progress.line = lastLine;
    onProgress();
    if (stop.aborted) return;
  }
}
