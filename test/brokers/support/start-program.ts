import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder, classPath } from './cache.ts';

/** A broker, a worker or a failing application. */
export type Program = {
  /** Everything that it wrote so far. */
  output(): string;
  readonly stop: () => Promise<void>;
  readonly hasEnded: () => boolean;
};

type Options = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> };

/**
 * The program ends with its standard input, which ends with this process, however that ends. Its data is
 * temporary, so that it is killed.
 */
const untilInputEnds = `exec 3<&0
"$@" < /dev/null 3<&- &
program=$!
{ cat <&3 > /dev/null; kill -9 $program; } 2> /dev/null &
wait $program`;

/**
 * Starts a program in a process group of its own, so that Ctrl-C stops the suite, and the suite the program.
 */
export function startProgram(
  [command, ...parameters]: readonly [string, ...string[]],
  { cwd = cacheFolder, env = {} }: Options = {},
): Program {
  const child = spawn('/bin/sh', ['-c', untilInputEnds, 'sh', command, ...parameters], {
    cwd,
    detached: true,
    env: { ...process.env, ...env },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(child, 'exit');
  // A process that only waits for the end of its programs can end itself.
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref();
  return {
    output: () => Buffer.concat(chunks).toString('utf8'),
    hasEnded: () => child.exitCode !== null,
    stop: async () => {
      // Referenced again, or this process would end first.
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

/** Starts the main class of a Maven module in a small JVM that is quick to start. */
export function startJava(
  [module, mainClass, ...parameters]: readonly [string, string, ...string[]],
  { megabytes = 128, ...options }: Options & { readonly megabytes?: number } = {},
): Program {
  const memory = [`-Xmx${megabytes}m`, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const logs = ['-Dlog4j2.level=WARN', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
  return startProgram(
    ['java', ...memory, ...logs, '-cp', classPath(module), mainClass, ...parameters],
    options,
  );
}

/**
 * Resolves as soon as `isSo` is true. Throws after `seconds`, or when the program has ended, with the end of
 * its output.
 */
export async function waitFor(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { program, seconds = 120 }: { readonly program?: Program; readonly seconds?: number } = {},
): Promise<void> {
  const endsAt = Date.now() + seconds * 1000;
  while (!(await isSo())) {
    const hasEnded = program?.hasEnded();
    if (hasEnded || Date.now() > endsAt) {
      const why = hasEnded ? 'The program ended before' : `Waited ${seconds} s in vain until`;
      throw new Error(`${why} ${what}.\n${program?.output().slice(-4000) ?? ''}`);
    }
    await pause(100);
  }
}

/** Whether a port of this machine accepts connections. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.unref().end();
  });
}
