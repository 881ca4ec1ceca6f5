import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Bundled, bundleCode } from '../../../infra/bundle/bundle-code.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { exampleSettings } from '../../support/office-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const names = planFunctions(exampleSettings('prod')).map(({ entryPoint }) => entryPoint);

describe('the code of the bundle', () => {
  let outDir: string;
  let outputs: Bundled['outputs'];
  before(async () => {
    outDir = await mkdtemp(path.join(tmpdir(), 'dlo-code-'));
    ({ outputs } = await bundleCode({ root, outDir, entry: 'functions/index.ts' }));
  });
  after(() => rm(outDir, { recursive: true }));

  const listFiles = (name: string) => Object.keys(outputs).filter((file) => file.split('/').at(-2) === name);
  const listModules = (files: readonly string[]) =>
    files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  /** The files that are read when an instance starts, before its first request. */
  const listStarted = (name: string) => {
    const found = listFiles(name).filter((file) => file.endsWith(`/${name}.cjs`));
    for (const file of found) {
      const needed = (outputs[file]?.imports ?? []).filter(({ kind }) => kind !== 'dynamic-import');
      found.push(...needed.map((each) => each.path).filter((to) => to in outputs && !found.includes(to)));
    }
    return found;
  };

  it('has in what a function starts with no package that is not needed there, and nowhere another function', () => {
    for (const own of names) {
      const others = names.filter((name) => name !== own).map((name) => `functions/${name}/${name}.ts`);
      const all = listModules(listFiles(own));
      assert.deepEqual(
        [all.includes(`functions/${own}/${own}.ts`), others.filter((file) => all.includes(file))],
        [true, []],
      );
      const started = listModules(listStarted(own)).join('\n');
      assert.doesNotMatch(
        started,
        /node_modules\/(pg|@google-cloud|@grpc|google-auth-library|gaxios)\//,
        own,
      );
    }
  });

  it('has what a function starts with in one file, and what comes later in others', () => {
    const later = /^functions\/(console\/.+\/.*-page|replay\/(acts|events|audit|runs)\/.*)\.ts$/;
    for (const own of ['console', 'replay']) {
      const started = listStarted(own);
      // Beside that one there is only what names it.
      assert.equal(started.filter((file) => (outputs[file]?.bytes ?? 0) > 1000).length, 1);
      assert.deepEqual(
        listModules(started).filter((file) => later.test(file)),
        [],
      );
      assert.ok(listModules(listFiles(own)).some((file) => later.test(file)));
    }
  });

  it('has each module once in a function, so that an error of it is known wherever it is thrown', () => {
    for (const own of names) {
      const modules = listModules(listFiles(own));
      assert.deepEqual([...new Set(modules)].sort(), modules.sort());
    }
  });
});
