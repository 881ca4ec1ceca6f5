import type { TestEvent } from 'node:test/reporters';
import { styleText } from 'node:util';
import { formatFailure } from './format-failure.ts';
import { keepDurations } from './queue.ts';

type DataOf<Type> = Extract<TestEvent, { type: Type }>['data'];
type Completed = DataOf<'test:complete'>;
type Failed = DataOf<'test:fail'>;

/**
 * Prints failures and the files of a run as they end, then the names of what failed, and the counts. Resolves
 * with whether all files ran, and at least one test, and every one passed.
 */
export async function reportTests(
  events: AsyncIterable<TestEvent>,
  files: readonly string[],
): Promise<boolean> {
  const unfinished = new Set(files);
  const failures: string[] = [];
  const durations: Record<string, number> = {};
  let summary: DataOf<'test:summary'> | undefined;
  for await (const event of events) {
    if (event.type === 'test:complete' && unfinished.delete(event.data.name)) {
      printFile(event.data);
      durations[event.data.name] = Math.round(event.data.details.duration_ms);
    }
    // Node.js reports the end of a test again for each suite around it that runs beside others, but its failure once.
    if (event.type === 'test:fail' && isRoot(event.data)) failures.push(printFailure(event.data));
    if (event.type === 'test:summary') summary = event.data;
    printOutput(event, files.length === 1);
  }
  keepDurations(durations);
  failures.push(...[...unfinished].map((file) => `${file} did not end: its process did.`));
  for (const each of failures) console.log(styleText('red', `✖ ${each}`));
  if (summary) printCounts(summary);
  return summary?.success === true && summary.counts.tests > 0 && unfinished.size === 0;
}

/**
 * Standard output of tests is the log of the product: it is shown for a run of one file only.
 */
function printOutput({ type, data }: TestEvent, isOneFile: boolean): void {
  if (type === 'test:stderr') process.stderr.write(data.message);
  if (type === 'test:stdout' && isOneFile) process.stdout.write(data.message);
  if (type === 'test:diagnostic' && !isCount(data.message)) console.log(`ℹ ${data.message}`);
}

function printFile({ name, details }: Completed): void {
  const mark = details.passed ? styleText('green', '✔') : styleText('red', '✖');
  console.log(`${mark} ${name} ${styleText('gray', `(${Math.round(details.duration_ms)} ms)`)}`);
}

/** A suite whose tests fail, and a test whose suite fails, are told by these. */
function isRoot({ details }: Failed): boolean {
  const { failureType } = { failureType: undefined, ...details.error };
  return failureType !== 'subtestsFailed' && failureType !== 'cancelledByParent';
}

/** Returns the name of the test, with those of its suites. */
function printFailure({ name, details }: Failed): string {
  const title = 'classname' in details ? `${details.classname} › ${name}` : name;
  console.log(`${styleText('red', `✖ ${title}`)}\n${formatFailure(details.error)}\n`);
  return title;
}

function isCount(message: string): boolean {
  return /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);
}

/** In the form of Node's own reporter, which other programs read. */
function printCounts({ counts, duration_ms }: DataOf<'test:summary'>): void {
  const { tests, suites, passed: pass, cancelled, skipped, todo } = counts;
  const fail = tests - pass - cancelled - skipped - todo;
  const all = { tests, suites, pass, fail, cancelled, skipped, todo, duration_ms };
  console.log(
    `\n${Object.entries(all)
      .map(([name, count]) => `ℹ ${name} ${count}`)
      .join('\n')}`,
  );
}
