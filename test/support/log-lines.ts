/** The output of `work` to the log, line by line, each parsed. */
export async function readLog(work: () => unknown): Promise<Record<string, unknown>[]> {
  const { write } = process.stdout;
  const lines: string[] = [];
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) => {
    // The test runner reports to the same stream meanwhile.
    if (typeof chunk !== 'string' || !chunk.startsWith('{"severity"')) {
      return write.call(process.stdout, chunk, ...rest);
    }
    lines.push(...chunk.trimEnd().split('\n'));
    return true;
  }) as typeof write;
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }
  return lines.map((line) => JSON.parse(line));
}
