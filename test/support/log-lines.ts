/** What `work` writes to the log, line by line, each parsed. */
export async function readLog(work: () => unknown): Promise<Record<string, unknown>[]> {
  const { write } = process.stdout;
  const chunks: string[] = [];
  process.stdout.write = ((chunk: string) => {
    chunks.push(String(chunk));
    return true;
  }) as typeof write;
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }
  const lines = chunks
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{"severity"'));
  return lines.map((line) => JSON.parse(line));
}
