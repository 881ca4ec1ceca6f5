import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { authorizeCalls } from './authorize.ts';
import { CommandError } from './command-error.ts';
import { readArguments, readNumber, readUrl } from './command-line.ts';
import { describeCounts, show } from './count-captured.ts';
import { every } from './every.ts';
import { importLines, type Progress } from './import-lines.ts';
import { openCapture } from './send-lines.ts';
import { stopOnSignal } from './stop-on-signal.ts';

const usage = `npm run import -- --capture URL [--from-line N] FILE

Sends each line of FILE to capture: newline-delimited JSON in any format that capture reads
(docs/bring-over.md). "-" reads standard input, FILE.gz is decompressed.

  --capture URL   the capture function; for npm start http://localhost:8080/capture
  --from-line N   continues at line N, where an earlier run stopped
  --help          prints this text

Running it again changes nothing. Exit codes: 0 everything is captured, 1 lines were rejected or
capture failed, 130 stopped by Ctrl-C. CAPTURE_SECRETS has the secret of a deployment that
requires signatures; any other deployment is called with the credentials of gcloud.`;

type Job = { readonly file: string; readonly url: URL; readonly fromLine: number };

/** `npm run import`: imports a file, prints the result, and returns the exit code. */
async function runCommand(args: readonly string[]): Promise<number> {
  const progress: Progress = {
    line: 0,
    closed: 0,
    rejected: 0,
    events: { new: 0, known: 0, conflicting: 0 },
  };
  try {
    const job = readJob(args);
    if (!job) {
      console.log(usage);
      return 0;
    }
    progress.line = job.fromLine - 1;
    return await runJob(job, progress);
  } catch (error) {
    console.error(error instanceof CommandError ? error.message : `The import failed. ${error}`);
    if (progress.line > 0) console.error(describeStop(progress));
    return 1;
  }
}

/** Returns undefined if help is asked for. Throws CommandError that names every invalid argument. */
function readJob(args: readonly string[]): Job | undefined {
  const options = {
    capture: { type: 'string' },
    'from-line': { type: 'string', default: '1' },
    help: { type: 'boolean' },
  } as const;
  const { values, positionals } = readArguments(args, options, usage);
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  const url = readUrl(values.capture);
  const fromLine = readNumber(values['from-line'], 1, Number.MAX_SAFE_INTEGER);
  if (file !== undefined && more.length === 0 && url && fromLine) return { file, url, fromLine };
  const problems = [
    file === undefined && 'Name a file, or "-" for standard input.',
    more.length > 0 && `Name one file: ${positionals.join(', ')} are ${positionals.length}.`,
    !url && `--capture ${values.capture ?? '(not set)'}: give the URL of the capture function.`,
    !fromLine && `--from-line ${values['from-line']}: give the number of a line, from 1.`,
  ];
  throw new CommandError(`${problems.filter(Boolean).join('\n')}\n\n${usage}`);
}

async function runJob({ file, url }: Job, progress: Progress): Promise<number> {
  const stop = stopOnSignal(() => console.error('Stopping after this batch ...'));
  const send = openCapture({
    url,
    authorize: authorizeCalls(url),
    secret: process.env.CAPTURE_SECRETS?.split(',')[0] || undefined,
    stop,
    warn: (message) => console.error(message),
  });
  const deps = {
    send,
    stop,
    reject: (line: number, reason: string) => console.error(`line ${line} ${reason}`),
    onProgress: every(5000, () =>
      console.log(`line ${show(progress.line)}: ${describeCounts(progress.events)}`),
    ),
  };
  try {
    await importLines(deps, addAbortSignal(stop, openFile(file)), progress);
  } catch (error) {
    // Standard input may wait for more lines: the signal ends the wait.
    if (!stop.aborted || (error as Error).name !== 'AbortError') throw error;
  }
  console.log(describeResult(progress));
  if (stop.aborted) {
    console.error(describeStop(progress));
    return 130;
  }
  return progress.rejected > 0 ? 1 : 0;
}

function openFile(file: string): Readable {
  if (file === '-') return process.stdin;
  const stream = createReadStream(file);
  if (!file.endsWith('.gz')) return stream;
  const unzipped = createGunzip();
  stream.on('error', (error) => unzipped.destroy(error));
  return stream.pipe(unzipped);
}

function describeResult({ closed, rejected, events }: Progress): string {
  const others = [
    closed > 0 && `${show(closed, 'closed event')} skipped`,
    rejected > 0 && `${show(rejected, 'line')} rejected`,
  ];
  return [describeCounts(events), ...others.filter(Boolean)].join('; ');
}

function describeStop({ line }: Progress): string {
  return `Lines 1 to ${line} are done. Continue with --from-line ${line + 1}, or from the beginning.`;
}

process.exitCode = await runCommand(process.argv.slice(2));
