import { runCommandLine } from '../../../packages/cli/run-command-line.ts';
import { describeOperations } from './command-line.ts';

// `dlo` from its sources, for the commands of a guide.
const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), {
  ...{ stdin, stdout, stderr, env, version: 'test' },
  operations: await describeOperations(),
  signal: new AbortController().signal,
});
