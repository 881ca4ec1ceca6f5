import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Bundled, bundleCode } from '../../../infra/bundle/bundle-code.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { exampleSettings } from '../../support/deployment-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const names = planFunctions(exampleSettings('prod')).map(({ entryPoint }) => entryPoint);
const entries = Object.fromEntries(names.map((name) => [name, `functions/entries/${name}.ts`]));

describe('the code of the bundle', () => {
  let outDir: string;
  let outputs: Bundled['outputs'];
  before(async () => {
    outDir = await mkdtemp(path.join(tmpdir(), 'dlo-code-'));
    ({ outputs } = await bundleCode({ root, outDir, entries }));
  });
  after(() => rm(outDir, { recursive: true }));

  const listFiles = (name: string) => Object.keys(outputs).filter((file) => file.split('/').at(-2) === name);
  const listModules = (files: readonly string[]) =>
    files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  /** The files that an instance reads when it starts, before its first request. */
  const listStarted = (name: string) => {
    const found = listFiles(name).filter((file) => file.endsWith(`/${name}.cjs`));
    for (const file of found) {
      const needed = (outputs[file]?.imports ?? []).filter(({ kind }) => kind !== 'dynamic-import');
      found.push(...needed.map((each) => each.path).filter((to) => to in outputs && !found.includes(to)));
    }
    return found;
  };

  it('contains no module of another function in a function, and loads no package at its start', () => {
    for (const own of names) {
      const others = names
        .filter((name) => name !== own)
        .flatMap((name) => [`functions/${name}/${name}.ts`, entries[name]]);
      const all = listModules(listFiles(own));
      assert.deepEqual(
        [all.includes(`functions/${own}/${own}.ts`), others.filter((file) => all.includes(file ?? ''))],
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

  it('starts the console and the API from one file each, and loads pages and operations from others', () => {
    const onDemand = /^functions\/(console\/.+\/.*-page|replay\/(actions|events|audit|runs)\/.*)\.ts$/;
    for (const own of ['console', 'replay']) {
      const started = listStarted(own);
      // The entry file only re-exports that one.
      assert.equal(started.filter((file) => (outputs[file]?.bytes ?? 0) > 1000).length, 1);
      assert.deepEqual(
        listModules(started).filter((file) => onDemand.test(file)),
        [],
      );
      assert.ok(listModules(listFiles(own)).some((file) => onDemand.test(file)));
    }
  });

  it('contains each module of a function once, so that its error classes are the same everywhere', () => {
    for (const own of names) {
      const modules = listModules(listFiles(own));
      assert.deepEqual([...new Set(modules)].sort(), modules.sort());
    }
  });

  it('has each statement that a module of a function reads in the folder of the function', () => {
    for (const own of names) {
      const modules = listModules(listFiles(own)).filter((file) => /^(shared|functions)\//.test(file));
      const missing = modules
        .flatMap((file) => listStatements(path.join(root, file)))
        .filter((name) => !existsSync(path.join(outDir, own, `${name}.sql`)));
      assert.deepEqual(missing, [], own);
    }
    assert.ok(existsSync(path.join(outDir, 'capture/capture-events.sql')));
  });

  it('has no statements of subjects that a function does not use', () => {
    for (const name of ['archive-events', 'claim-run-events', 'list-groups', 'read-event'])
      assert.equal(existsSync(path.join(outDir, `capture/${name}.sql`)), false, name);
  });
});

function listStatements(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/'([a-z-]+)',\s*import\.meta\.url/g)].map(([, name = '']) => name);
}
