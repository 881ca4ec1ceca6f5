import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Bundle, buildBundle } from '../../../infra/bundle/build-bundle.ts';
import { listFiles } from '../../../infra/bundle/list-files.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { exampleSettings } from '../../support/office-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const entryPoints = new Set(planFunctions(exampleSettings('prod')).map(({ entryPoint }) => entryPoint));

let place: string;
before(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'dlo-build-'));
});
after(() => rm(place, { recursive: true }));

/** The source in another folder, as on another machine. */
async function copySource(name: string): Promise<string> {
  const copy = path.join(place, name, 'a/deeper/folder');
  for (const each of ['functions', 'shared', 'package.json', 'package-lock.json']) {
    await cp(path.join(root, each), path.join(copy, each), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** A function of its own that answers with a style sheet beside it. */
async function aStyledFunction(): Promise<string> {
  const copy = path.join(place, 'styled');
  await mkdir(path.join(copy, 'functions/pages/styles'), { recursive: true });
  await cp(path.join(root, 'package-lock.json'), path.join(copy, 'package-lock.json'));
  await writeFile(path.join(copy, 'functions/pages/styles/plain.css'), 'p { color: teal }');
  await writeFile(path.join(copy, 'functions/pages/.hidden'), '');
  await writeFile(
    path.join(copy, 'functions/pages/pages.ts'),
    `import { readFileSync } from 'node:fs';
    const read = (name: string) => [
      readFileSync(new URL(\`styles/\${name}.css\`, import.meta.url), 'utf8'),
      readFileSync(import.meta.dirname + '/styles/plain.css', 'utf8'),
    ];
    export const pages = () => read('plain');`,
  );
  await writeFile(path.join(copy, 'functions/index.ts'), "export { pages } from './pages/pages.ts';");
  return copy;
}

describe('the bundle', () => {
  let bundle: Bundle;
  const read = (file: string) => readFile(path.join(bundle.folder, file), 'utf8');
  before(async () => {
    bundle = await buildBundle({ root, outDir: path.join(place, 'bundle') });
  });

  /** All of the code of a function. */
  const readFolder = async (name: string) => {
    const files = (await listFiles(bundle.folder)).filter((file) => file.startsWith(`${name}/`));
    return (await Promise.all(files.map(read))).join('\n');
  };

  it('is the same, byte for byte, wherever it is built', async () => {
    const copy = await copySource('same');
    const other = await buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
    assert.equal(other.hash, bundle.hash);
    for (const file of await listFiles(bundle.folder)) {
      assert.equal(await readFile(path.join(other.folder, file), 'utf8'), await read(file), file);
    }
  });

  it('is another one as soon as a statement changes', async () => {
    const copy = await copySource('changed');
    await appendFile(path.join(copy, 'shared/sql/capture-events.sql'), ' ');
    const other = await buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
    assert.notEqual(other.hash, bundle.hash);
  });

  it('tells nothing of the machine that built it, nor of a registry', async () => {
    for (const file of await listFiles(bundle.folder)) assert.ok(!(await read(file)).includes(root), file);
    assert.doesNotMatch(await read('package-lock.json'), /"resolved"/);
  });

  it('has a folder for each function that is deployed, and no other', async () => {
    const code = (await listFiles(bundle.folder)).filter((file) => file.endsWith('.cjs'));
    const folders = new Set(code.map((file) => file.split('/')[0]));
    assert.deepEqual([...folders].sort(), [...entryPoints, 'index.cjs', 'packages'].sort());
    for (const name of entryPoints) assert.ok(code.includes(`${name}/${name}.cjs`), name);
  });

  it('has the text of each statement of a function in its folder, and of no other', async () => {
    const code = await readFolder('capture');
    assert.match(code, /statement\("capture-events",\s*(["`])(?:(?!\1).)+dlq_capture_events/s);
    assert.doesNotMatch(code, /claim-due/);
    for (const name of entryPoints)
      assert.doesNotMatch(await readFolder(name), /(?:tatement|latestFirst)\)?\(["'`][a-z-]+["'`]\)/);
  });

  it('requires nothing that is not there', async () => {
    const { dependencies } = JSON.parse(await read('package.json'));
    const missing = new Set<string>();
    for (const file of (await listFiles(bundle.folder)).filter((each) => each.endsWith('.cjs'))) {
      for (const [, name = ''] of (await read(file)).matchAll(/\b(?:__)?require\("([^"]+)"\)/g)) {
        const isThere = await stat(path.join(bundle.folder, path.dirname(file), name)).catch(() => undefined);
        if (!isBuiltin(name) && !isThere && !(name in dependencies)) missing.add(name);
      }
    }
    // A driver in C++ that pg takes only where it is asked for, and what the client of Cloud Storage takes if it is there.
    assert.deepEqual([...missing].sort(), ['encoding', 'pg-native', 'supports-color']);
  });

  it('has nothing that the buildpack would run, throw away or look for in vain', async () => {
    const { main, ...manifest } = JSON.parse(await read('package.json'));
    assert.deepEqual(Object.keys(manifest), ['name', 'private', 'dependencies']);
    const files = await listFiles(bundle.folder);
    assert.ok(files.includes(main) && files.includes('package-lock.json'));
    assert.equal(
      files.some((file) => file.includes('node_modules')),
      false,
    );
  });

  it('has no more installed than the framework, and what that brings, in the versions that are tested here', async () => {
    const { dependencies } = JSON.parse(await read('package.json'));
    const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) {
      assert.match(name, /^(@google-cloud\/functions-framework|express)$/);
      assert.equal(version, packages[`node_modules/${name}`].version);
    }
    assert.ok(dependencies['@google-cloud/functions-framework']);
  });

  it('has the files that its code reads, where the code finds them', async () => {
    const copy = await aStyledFunction();
    const { folder } = await buildBundle({ root: copy, outDir: path.join(copy, 'dist') });
    const { pages } = createRequire(import.meta.url)(path.join(folder, 'pages/pages.cjs'));
    assert.deepEqual(pages(), ['p { color: teal }', 'p { color: teal }']);
    assert.equal((await listFiles(folder)).includes('functions/pages/.hidden'), false);
  });

  it('cannot be had of a module that is imported for what it does, for it would be left out', async () => {
    const copy = await aStyledFunction();
    await writeFile(
      path.join(copy, 'functions/polyfill.ts'),
      'Object.assign(globalThis, { polyfill: true });',
    );
    await writeFile(
      path.join(copy, 'functions/index.ts'),
      "import './polyfill.ts';\nexport const one = () => 1;\n",
    );
    await assert.rejects(
      buildBundle({ root: copy, outDir: path.join(copy, 'dist') }),
      /Ignoring this import/,
    );
  });
});
