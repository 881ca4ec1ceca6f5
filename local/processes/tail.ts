import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const keptLines = 20;

export type Tail = {
  readonly lines: readonly string[];
  /** Waits a moment for output that is still under way, and gives the last lines as one text. */
  readonly read: () => Promise<string>;
};

/** Hands each line of a process's output to `readLine`, and keeps the last ones. */
export function keepTail(child: ChildProcess, readLine: (line: string) => void): Tail {
  const lines: string[] = [];
  const ends = [child.stdout, child.stderr].map((stream) => {
    if (stream === null) return undefined;
    const reader = createInterface({ input: stream });
    reader.on('line', (line) => {
      lines.push(line);
      if (lines.length > keptLines) lines.shift();
      readLine(line);
    });
    return once(reader, 'close');
  });
  const read = async () => {
    await Promise.race([Promise.all(ends), delay(300)]);
    return lines.join('\n');
  };
  return { lines, read };
}
