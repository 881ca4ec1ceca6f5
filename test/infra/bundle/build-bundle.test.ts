import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Bundle, buildBundle } from '../../../infra/bundle/build-bundle.ts';
import { listFiles } from '../../../infra/bundle/list-files.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { exampleSettings } from '../../support/deployment-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const entryPoints = new Set(planFunctions(exampleSettings('prod')).map(({ entryPoint }) => entryPoint));

let home: string;
before(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'dlo-build-'));
});
after(() => rm(home, { recursive: true }));

/** Copies the source to another folder, as on another machine. */
async function copySource(): Promise<string> {
  const copy = path.join(home, 'same/a/deeper/folder');
  for (const each of ['functions', 'shared', 'package.json', 'package-lock.json']) {
    await cp(path.join(root, each), path.join(copy, each), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** The source of one function, `pages`, that answers with a statement and a style sheet beside it. */
async function aFunctionWithFiles(): Promise<string> {
  const copy = path.join(home, 'with-files');
  const write = async (file: string, content: string) => {
    await mkdir(path.join(copy, path.dirname(file)), { recursive: true });
    await writeFile(path.join(copy, file), content);
  };
  await rm(copy, { recursive: true, force: true });
  await cp(path.join(root, 'package-lock.json'), path.join(copy, 'package-lock.json'), { recursive: true });
  await write('functions/pages/count-pages.sql', 'select 1');
  await write('functions/pages/assets/styles/plain.css', 'p { color: teal }');
  await write('functions/pages/assets/.hidden', '');
  await write(
    'functions/pages/pages.ts',
    `import { readFileSync } from 'node:fs';
    const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
    export const pages = () => [
      read('count-pages.sql'),
      read('assets/styles/plain.css'),
      readFileSync(import.meta.dirname + '/assets/styles/plain.css', 'utf8'),
    ];`,
  );
  await write('functions/entries/pages.ts', "export { pages } from '../pages/pages.ts';");
  return copy;
}

describe('the bundle', () => {
  let bundle: Bundle;
  const read = (file: string) => readFile(path.join(bundle.folder, file), 'utf8');
  before(async () => {
    bundle = await buildBundle({ root, outDir: path.join(home, 'bundle') });
  });

  it('is the same, byte for byte, in every folder that it is built in', async () => {
    const copy = await copySource();
    const other = await buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
    assert.equal(other.hash, bundle.hash);
    for (const file of await listFiles(bundle.folder)) {
      assert.equal(await readFile(path.join(other.folder, file), 'utf8'), await read(file), file);
    }
  });

  it('has another hash when a statement changes', async () => {
    const copy = await aFunctionWithFiles();
    const build = () => buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
    const { hash } = await build();
    await appendFile(path.join(copy, 'functions/pages/count-pages.sql'), ' ');
    assert.notEqual((await build()).hash, hash);
  });

  it('contains no path of the machine that built it and no address of a registry', async () => {
    for (const file of await listFiles(bundle.folder)) assert.ok(!(await read(file)).includes(root), file);
    assert.doesNotMatch(await read('package-lock.json'), /"resolved"/);
  });

  it('has a folder for each deployed function, and no other', async () => {
    const code = (await listFiles(bundle.folder)).filter((file) => file.endsWith('.cjs'));
    const folders = new Set(code.map((file) => file.split('/')[0]));
    assert.deepEqual([...folders].sort(), [...entryPoints, 'index.cjs', 'packages'].sort());
    for (const name of entryPoints) assert.ok(code.includes(`${name}/${name}.cjs`), name);
  });

  it('requires only files of the bundle, installed packages and modules of Node.js', async () => {
    const { dependencies } = JSON.parse(await read('package.json'));
    const missing = new Set<string>();
    for (const file of (await listFiles(bundle.folder)).filter((each) => each.endsWith('.cjs'))) {
      for (const [, name = ''] of (await read(file)).matchAll(/\b(?:__)?require\("([^"]+)"\)/g)) {
        const isThere = await stat(path.join(bundle.folder, path.dirname(file), name)).catch(() => undefined);
        if (!isBuiltin(name) && !isThere && !(name in dependencies)) missing.add(name);
      }
    }
    // The C++ driver that pg loads on request, and optional packages of the Cloud Storage client.
    assert.deepEqual([...missing].sort(), ['encoding', 'pg-native', 'supports-color']);
  });

  it('contains nothing that the buildpack would run, remove or fail to find', async () => {
    const { main, ...manifest } = JSON.parse(await read('package.json'));
    assert.deepEqual(Object.keys(manifest), ['name', 'private', 'dependencies']);
    const files = await listFiles(bundle.folder);
    assert.ok(files.includes(main) && files.includes('package-lock.json'));
    assert.equal(
      files.some((file) => file.includes('node_modules')),
      false,
    );
  });

  it('installs only the framework, in the version of this repository', async () => {
    const { dependencies } = JSON.parse(await read('package.json'));
    const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
    const name = '@google-cloud/functions-framework';
    assert.deepEqual(dependencies, { [name]: packages[`node_modules/${name}`].version });
  });

  it('has the statements and assets of a function where its code finds them, and no hidden files', async () => {
    const copy = await aFunctionWithFiles();
    const { folder } = await buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
    const { pages } = createRequire(import.meta.url)(path.join(folder, 'pages/pages.cjs'));
    assert.deepEqual(pages(), ['select 1', 'p { color: teal }', 'p { color: teal }']);
    assert.ok((await listFiles(folder)).every((file) => !file.includes('.hidden')));
  });

  it('is not built if two statements of a function have the same name', async () => {
    const copy = await aFunctionWithFiles();
    await mkdir(path.join(copy, 'functions/other'));
    await writeFile(path.join(copy, 'functions/other/count-pages.sql'), 'select 2');
    await writeFile(path.join(copy, 'functions/other/other.ts'), 'export const other = () => 2;');
    await appendFile(
      path.join(copy, 'functions/entries/pages.ts'),
      "\nexport { other } from '../other/other.ts';",
    );
    await assert.rejects(buildBundle({ root: copy, outDir: path.join(copy, 'dist') }), /count-pages\.sql/);
  });

  it('evaluates a module that a function imports only for its effect', async () => {
    const copy = await aFunctionWithFiles();
    await writeFile(
      path.join(copy, 'functions/pages/count.ts'),
      'Object.assign(globalThis, { counted: 1 });',
    );
    await writeFile(
      path.join(copy, 'functions/entries/pages.ts'),
      "import '../pages/count.ts';\nexport const pages = () => Object(globalThis).counted;\n",
    );
    const { folder } = await buildBundle({ root: copy, outDir: path.join(copy, 'effect') });
    const { pages } = createRequire(import.meta.url)(path.join(folder, 'pages/pages.cjs'));
    assert.equal(pages(), 1);
  });
});
