import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach } from 'node:test';

/** Returns why a test is skipped: the programs that this machine lacks; false if it has all of them. */
export function lacks(...programs: string[]): string | false {
  const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length > 0 && `this machine has no ${missing.join(', ')}`;
}

/** A folder of a suite, empty at the start of each test, in which Bash runs commands. */
export function useShell(readEnv: () => Record<string, string>) {
  const shell = useGuideShell(readEnv);
  beforeEach(() => {
    for (const name of shell.list('*')) shell.remove(name);
  });
  return shell;
}

/** A folder of a suite, in which Bash runs the commands of a guide, one test after the other. */
export function useGuideShell(readEnv: () => Record<string, string> = () => ({})) {
  let folder = '';
  const begun: ChildProcess[] = [];
  before(() => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'shell-'));
  });
  // The group of a command has what it left running.
  after(() => {
    for (const { pid = 0 } of begun) endGroup(pid);
  });
  const list = (pattern: string) => globSync(pattern, { cwd: folder });
  const remove = (name: string) => rmSync(path.join(folder, name));
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const write = (name: string, content: string) => writeFileSync(path.join(folder, name), content);
  /**
   * Writes a program that the commands call, in place of one that this machine may lack or that calls another
   * system.
   */
  const writeProgram = (name: string, script: string, interpreter = '/usr/bin/env bash') => {
    write(name, `#!${interpreter}\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  };
  /** Runs commands, which must succeed without a word on standard error. Returns what they print. */
  const run = async (commands: string) => {
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: folder,
      detached: true,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...readEnv(),
      },
    });
    begun.push(child);
    const [stderr, [status], stdout] = await Promise.all([
      text(child.stderr),
      once(child, 'exit'),
      text(child.stdout),
    ]);
    assert.deepEqual([status, stderr], [0, '']);
    return stdout;
  };
  return { folder: () => folder, list, read, remove, write, writeProgram, run };
}

function endGroup(pid: number) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
