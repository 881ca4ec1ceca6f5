import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands } from '../../../packages/cli/commands.ts';
import { toCamelCase } from '../../../shared/config/setting.ts';
import { describeOperations, useCommandLine } from '../../support/cli/command-line.ts';

describe('the command line of dlo', () => {
  const dlo = useCommandLine(() => 'http://127.0.0.1:9');

  it('has the texts of the operations of the API', async () => {
    const operations = await describeOperations();
    for (const { name, operation, summary, options = [] } of commands) {
      const { stdout, exitCode } = await dlo([name, '--help']);
      const words = stdout.replaceAll(/\s+/g, ' ');
      assert.equal(exitCode, 0);
      assert.ok(words.includes(summary ?? operations[operation]?.summary ?? '?'), name);
      for (const field of operations[operation]?.fields ?? []) {
        if (options.includes(field.name))
          assert.ok(words.includes(field.description.replaceAll(/\s+/g, ' ')));
      }
    }
  });

  it('has help that fits a terminal of 80 columns', async () => {
    for (const args of [[], ...commands.map(({ name }) => [name])]) {
      const { stdout } = await dlo([...args, '--help'], { columns: 80 });
      // Examples are there to be copied.
      const [help = ''] = stdout.split('\nExamples:');
      assert.deepEqual(
        help.split('\n').filter((line) => line.length > 80),
        [],
      );
    }
  });

  it('ends without an error once nobody reads its help or its errors', async () => {
    assert.equal((await dlo(['--help'], { isUnread: true })).exitCode, 0);
    assert.equal((await dlo(['evnts'], { isUnread: true })).exitCode, 2);
  });

  it('offers each field of the operation of a command, but those that it sets or leaves', async () => {
    const operations = await describeOperations();
    const set = ['cursor', 'Idempotency-Key', 'selection', 'lines', 'key'];
    const left: Record<string, readonly string[]> = {
      ...{ tail: ['archived', 'limit'], replay: ['edit'], listen: ['id'], open: ['id'] },
    };
    for (const { name: command, operation, arguments: args = [], options = [], own = [] } of commands) {
      const flags = own.map(({ flags: [, , ...flag] }) =>
        flag.join('').replace(/ .*/, '').replaceAll('-', '_'),
      );
      const taken = [...args.map(({ name, field }) => field ?? name.slice(1, -1)), ...flags.map(toCamelCase)];
      const known = [...options, ...taken, ...set, ...(left[command] ?? [])];
      const missing = operations[operation]?.fields.filter(({ name }) => !known.includes(name));
      assert.deepEqual(missing, [], command);
    }
  });

  it('suggests the command and the option that a misspelt one may mean', async () => {
    for (const [args, meant] of [
      [['evnts'], 'events'],
      [['replay', 'x', '--pcae', 'fast'], '--pace'],
    ] as const) {
      const { exitCode, stderr } = await dlo(args);
      assert.equal(exitCode, 2);
      assert.match(stderr, new RegExp(`Did you mean ${meant}\\?`));
    }
  });

  it('rejects a value that no operation takes, before it sends anything', async () => {
    const { exitCode, stderr } = await dlo(['replay', 'x', '--pace', 'slow']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /Allowed choices are careful, normal, /);
  });

  it('delivers copies to paths of this machine only', async () => {
    for (const to of ['//acme.example/', 'http://acme.example/', 'http://[', 'https://localhost/']) {
      const { exitCode, stderr } = await dlo(['listen', '3000', '--path', to]);
      assert.equal(exitCode, 2);
      assert.match(stderr, /^--path ".*" is no path: give one of this machine, such as \/orders\.\n$/);
    }
  });
});
