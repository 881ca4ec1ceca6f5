#!/usr/bin/env node
import type { Operations } from './api/operations.ts';
import { runCommandLine } from './run-command-line.ts';

// Inserted when the package is built.
declare const operations: Operations;
declare const version: string;

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
const { env, stdin, stdout, stderr } = process;
const { signal } = interrupt;
process.exitCode = await runCommandLine(process.argv.slice(2), {
  operations,
  version,
  env,
  signal,
  stdin,
  stdout,
  stderr,
});
