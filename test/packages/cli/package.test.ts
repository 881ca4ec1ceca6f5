import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { itCanBePublished } from '../../support/it-can-be-published.ts';
import { isItsTurn } from '../../support/taken-in-turn.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
const source = path.join(root, 'packages/cli');
const manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));

describe('the installed command line', { skip: !isItsTurn('cli') }, () => {
  let folder = '';
  const installed = () => path.join(folder, 'node_modules/@dead-letter-office/cli');
  const dlo = async (...args: string[]) =>
    (await run(process.execPath, [path.join(installed(), manifest.bin.dlo), ...args])).stdout;
  before(async () => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'cli-'));
    mkdirSync(installed(), { recursive: true });
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source });
    const archive = path.join(folder, stdout.trim().split('\n').at(-1) ?? '');
    await run('tar', ['-xzf', archive, '-C', installed(), '--strip-components=1']);
    // A package that it does not declare is not found.
    for (const name of Object.keys(manifest.dependencies)) {
      const link = path.join(folder, 'node_modules', name);
      mkdirSync(path.dirname(link), { recursive: true });
      symlinkSync(path.join(root, 'node_modules', name), link);
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has the commands, with the texts of the API', async () => {
    assert.match(await dlo('--help'), /\n {2}errors \[options\] \[words\] +List error groups\n/);
    assert.equal(await dlo('--version'), `${manifest.version}\n`);
  });

  it('completes commands, options and values', async () => {
    assert.match(await dlo('complete', 'bash'), /complete -F \w+ dlo/);
    assert.match(await dlo('complete', '--', 're'), /^replay\t.*\n(.*\n)*release\t/);
    assert.match(await dlo('complete', '--', 'replay', '--pa'), /^--pace\t/);
    assert.match(await dlo('complete', '--', 'replay', '--pace', ''), /^careful\t\nnormal\t\n/);
  });

  itCanBePublished('cli');
});
