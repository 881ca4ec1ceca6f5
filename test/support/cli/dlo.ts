import { readFileSync } from 'node:fs';
import { runCommandLine } from '../../../packages/cli/run-command-line.ts';

// `dlo` from its sources, for the commands of a guide. As in the package, the operations of the API are a file:
// to describe them would take most of the time of a command.
const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), {
  ...{ stdin, stdout, stderr, env, version: 'test' },
  operations: JSON.parse(readFileSync(env.DLO_OPERATIONS ?? '', 'utf8')),
  signal: new AbortController().signal,
});
