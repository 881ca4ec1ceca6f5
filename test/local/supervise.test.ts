import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { isAlive } from '../../local/processes/process-table.ts';
import { type Service, supervise } from '../../local/processes/supervise.ts';
import { waitFor } from './office-process.ts';

describe('a supervised process', () => {
  const said: string[] = [];
  const watch = {
    say: (text: string) => said.push(text),
    fail: (error: unknown) => said.push(String(error)),
  };
  const run = (script: string, probe = async () => true) => {
    const children: ChildProcess[] = [];
    const lines: string[] = [];
    const service: Service = {
      name: 'clerk',
      launch: async () => {
        const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
        children.push(child);
        return child;
      },
      probe,
      readLine: (line) => lines.push(line),
      closingMs: 300,
    };
    return { children, lines, supervised: supervise(service, watch) };
  };

  it('starts again when it dies', async () => {
    const { children, supervised } = run('setInterval(() => {}, 1000)');
    await waitFor('it to be ready', supervised.isReady);

    children[0]?.kill('SIGKILL');
    await waitFor('the death to be seen', () => !supervised.isReady());
    await waitFor('the next one to be ready', supervised.isReady);

    assert.equal(children.length, 2);
    assert.equal(said.at(-1), 'clerk was ended by SIGKILL; starting it again');
    await supervised.close();
    assert.deepEqual(
      children.filter(({ pid = 0 }) => isAlive(pid)),
      [],
    );
  });

  it('is given up, with its last words, when it cannot start at all', async () => {
    const { children, supervised } = run('console.error("no ink"); process.exit(3)', async () => false);

    await waitFor('it to be given up', () => said.at(-1)?.includes('before it could be used') === true);

    assert.match(said.at(-1) ?? '', /clerk ended with exit code 3 before it could be used\.\nno ink$/);
    assert.equal(children.length, 3);
    await supervised.close();
  });

  it('is ended by force when it does not listen', async () => {
    const { children, lines, supervised } = run(
      'process.on("SIGTERM", () => {}); console.log("deaf"); setInterval(() => {}, 1000)',
    );
    await waitFor('it to be deaf', () => lines.includes('deaf'));

    await supervised.close();

    assert.equal(children[0]?.signalCode, 'SIGKILL');
  });
});
