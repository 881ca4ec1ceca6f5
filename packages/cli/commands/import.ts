import { createHash } from 'node:crypto';
import path from 'node:path';
import { countOf } from '../../../shared/count-of.ts';
import type { Command, Context } from '../command.ts';
import { codeOf } from '../exit-codes.ts';
import { isExported, toReport } from '../exported-event.ts';
import { batchLines, type Line, openLines } from '../read-lines.ts';
import { showProgress } from '../terminal/progress.ts';

type Imported = { readonly items: readonly { readonly id: string; readonly isNew: boolean }[] };
type Rejected = { readonly line: number; readonly rejected: string };

/** Less than the API takes, with room for the quotes of JSON. */
const limits = { maxLines: 500, maxBytes: 500_000 };
const maxShown = 20;

export const importCommand: Command = {
  name: 'import',
  operation: 'importEvents',
  description:
    'One failure per line: an event of `dlo export`, or any format that capture reads. ' +
    'A line that is not a JSON object is rejected. The same file again changes nothing.',
  arguments: [{ name: '<file>', text: 'Lines of JSON; - reads stdin.' }],
  options: ['reason'],
  examples: [
    'dlo import failures.ndjson',
    'dlo export --stack old | dlo import - --stack new',
    'kcat -b broker:9092 -t orders-dlq -C -e -q -J | dlo import -',
  ],
  run: async (context, { values, own }) => {
    const file = String(own.file);
    const { reason = `import of ${path.basename(file)}` } = values;
    const { imported, known, rejected } = await importFile(context, { file, reason: String(reason) });
    const { terminal } = context;
    const total = `${countOf(imported, 'event')} imported, ${countOf(known, 'line')} known already`;
    terminal.note(`${total}, ${countOf(rejected.length, 'line')} rejected.`);
    for (const { line, rejected: why } of rejected.slice(0, maxShown))
      terminal.note(`  line ${line}: ${why}`);
    if (rejected.length > maxShown)
      terminal.note(`  and ${rejected.length - maxShown} more; --json prints all`);
    return rejected.length > 0 ? codeOf('partial') : codeOf('done');
  },
};

type File = { readonly file: string; readonly reason: string };

async function importFile(context: Context, { file, reason }: File) {
  const { terminal, signal } = context;
  const { bytes, lines } = await openLines(file, { stdin: terminal.stdin, signal });
  const result = { imported: 0, known: 0, rejected: [] as Rejected[] };
  const interrupted = 'Stopped. Import the file again to go on.';
  const bar = showProgress(terminal, { max: bytes, text: file, interrupted });
  let read = 0;
  for await (const batch of batchLines(lines, limits)) {
    signal.throwIfAborted();
    const { items, rejected } = await importBatch(context, batch, reason);
    if (!terminal.isText) for (const each of [...items, ...rejected]) terminal.printJson(each);
    result.imported += items.filter(({ isNew }) => isNew).length;
    result.known += items.filter(({ isNew }) => !isNew).length;
    result.rejected.push(...rejected);
    read += batch.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
    bar.show(Math.min(read, bytes), `${file}: ${countOf(result.imported + result.known, 'line')}`);
  }
  bar.end(file);
  return result;
}

async function importBatch({ api }: Context, batch: readonly Line[], reason: string) {
  const read = batch.map(readLine);
  const rejected = read.filter((each) => 'rejected' in each);
  const accepted = read.filter((each) => 'text' in each);
  if (accepted.length === 0) return { items: [], rejected };
  const lines = accepted.map(({ text }) => text);
  const { items } = await api.call<Imported>('importEvents', { lines, key: toKey(lines), reason });
  return { items: items.map((item, i) => ({ line: accepted[i]?.line, ...item })), rejected };
}

/** The same lines have the same key: a repetition changes nothing. */
function toKey(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url');
}

/** The failure of a line as capture reads it. */
function readLine(read: Line): Rejected | { readonly line: number; readonly text: string } {
  const { number: line, text, isUtf8 } = read;
  if (Buffer.byteLength(text) > limits.maxBytes)
    return { line, rejected: `It has more than ${limits.maxBytes} bytes: send it to capture.` };
  if (!isUtf8) return { line, rejected: 'It is not UTF-8: send it to capture.' };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return { line, rejected: 'It is not a JSON object.' };
    if (!isExported(value)) return { line, text };
    if (value.bodyBase64 === null && value.payloadEncoding !== 'none')
      return { line, rejected: 'It is an export without its message, which is larger than 1 MiB.' };
    if (value.bodyBase64 === '(hidden)')
      return { line, rejected: 'It is an export with masked values: they are not there.' };
    return { line, text: JSON.stringify(toReport(value)) };
  } catch (error) {
    return { line, rejected: error instanceof Error ? error.message : 'It is not JSON.' };
  }
}
