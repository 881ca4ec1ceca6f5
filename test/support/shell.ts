import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { before, beforeEach } from 'node:test';

/** Returns why a test is skipped: the programs that this machine lacks; false if it has all of them. */
export function lacks(...programs: string[]): string | false {
  const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length > 0 && `this machine has no ${missing.join(', ')}`;
}

/** A folder of a suite, empty at the start of each test, in which Bash runs commands. */
export function useShell(readEnv: () => Record<string, string>) {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'shell-'));
  });
  beforeEach(() => {
    for (const name of list('*')) remove(name);
  });
  const list = (pattern: string) => globSync(pattern, { cwd: folder });
  const remove = (name: string) => rmSync(path.join(folder, name));
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
      env: { PATH: `${folder}:${process.env.PATH}`, ...readEnv() },
    });
    const [stderr, [status], stdout] = await Promise.all([
      text(child.stderr),
      once(child, 'exit'),
      text(child.stdout),
    ]);
    assert.deepEqual([status, stderr], [0, '']);
    return stdout;
  };
  return { list, remove, write, writeProgram, run };
}
