import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

/** The folders that each folder may import from, and those whose types it may name. */
const rules: Record<string, { readonly imports: string[]; readonly types?: string }> = {
  shared: { imports: ['shared/'] },
  functions: { imports: ['functions/', 'shared/'] },
  migrations: { imports: ['migrations/', 'shared/'] },
  local: { imports: ['local/', 'functions/', 'shared/', 'migrations/'] },
  infra: {
    imports: [
      'infra/',
      'migrations/',
      'shared/config/',
      'shared/environment/',
      'shared/errors.ts',
      'shared/explain-public.ts',
      'shared/jobs/jobs.ts',
      'shared/metrics/metrics.ts',
    ],
    types: 'shared/',
  },
  packages: {
    imports: [
      'package.json',
      'packages/',
      'infra/',
      'functions/replay/',
      'local/',
      'shared/count-of.ts',
      'shared/json/slice-json.ts',
    ],
    types: 'shared/',
  },
  test: { imports: [''] },
  bench: { imports: [''] },
};

const cwd = path.resolve(import.meta.dirname, '..');
const files = globSync(`{${Object.keys(rules)}}/**/*.{ts,sql}`, {
  cwd,
  exclude: ['{bench,packages}/*/{dist,node_modules}/**'],
});
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');

const imports = files.flatMap((from) => {
  const found = read(from).matchAll(
    /(?:^(?:import|export) (type )?(?:[^']*?from )?|\bimport\()'(\.[^']+)'/gm,
  );
  return [...found].map(([, type, to = '']) => ({
    from,
    to: path.join(path.dirname(from), to),
    isType: !!type,
  }));
});

const importsOf = Map.groupBy(imports, ({ from }) => from);

function findImported(from: string, found = new Set<string>()): Set<string> {
  for (const { to } of importsOf.get(from) ?? []) if (!found.has(to)) findImported(to, found.add(to));
  return found;
}

/**
 * `capture` of functions/capture/capture.ts; undefined for what all functions share, and for the entries that
 * compose them.
 */
function folderOfFunction(file: string): string | undefined {
  const [, folder] = /^functions\/(capture|retry|replay|console|maintain)\//.exec(file) ?? [];
  return folder;
}

describe('the architecture', () => {
  it('lets imports run one way', () => {
    const wrong = imports.filter(({ from, to, isType }) => {
      const rule = rules[from.split('/')[0] ?? ''];
      const mayKnow = isType && rule?.types !== undefined && to.startsWith(rule.types);
      return !mayKnow && !rule?.imports.some((start) => to.startsWith(start));
    });
    assert.deepEqual(wrong, []);
  });

  it('has a ladder in shared: each folder imports only those before it in docs/architecture.md', () => {
    const [, names = ''] =
      /^From the first rung to the last: ([^.]*)\./m.exec(read('docs/architecture.md')) ?? [];
    const ladder = [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    // The files beside the folders are below them all.
    const rungOf = (file: string) => ladder.indexOf(/^shared\/(\w+)\//.exec(file)?.[1]);
    const within = imports.filter(({ from }) => from.startsWith('shared/'));
    assert.deepEqual(
      within.filter(({ from, to }) => rungOf(to) > rungOf(from)),
      [],
    );
    const folders = new Set(within.flatMap(({ from }) => /^shared\/(\w+)\//.exec(from)?.[1] ?? []));
    assert.deepEqual([...folders].sort(), ladder.toSorted());
  });

  it('lets the schedule know of replays only how to continue them', () => {
    const known = imports.filter(({ from, to }) => /^shared\/schedule\//.test(from) && /\/replay\//.test(to));
    assert.deepEqual([...new Set(known.map(({ to }) => to))], ['shared/replay/work-on-replay.ts']);
  });

  it('lets no function import code of another one', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [owner, other] = [folderOfFunction(from), folderOfFunction(to)];
      return owner !== undefined && other !== undefined && owner !== other;
    });
    assert.deepEqual(wrong, []);
  });

  it('has no import cycles', () => {
    assert.deepEqual(
      files.filter((file) => findImported(file).has(file)),
      [],
    );
  });

  it('has no file that nothing imports, but for programs', () => {
    const imported = new Set(imports.map(({ to }) => to));
    const programs =
      /^(functions\/index|infra\/index|migrations\/migrate|local\/[\w-]+|packages\/[\w-]+\/\w[\w-]*)\.ts$/;
    const product = files.filter((file) =>
      /^(shared|functions|migrations|local|infra|packages)\/.*\.ts$/.test(file),
    );
    const unused = product.filter((file) => !imported.has(file) && !programs.test(file));
    assert.deepEqual(unused, []);
  });

  it('names every file after what it holds', () => {
    const vague = /\b(utils?|helpers?|types)(\.ts$|\/)|(?<!^functions\/|^infra\/)\bindex\.ts$/;
    assert.deepEqual(
      files.filter((file) => vague.test(file)),
      [],
    );
  });

  it('keeps every file shorter than 250 lines', () => {
    const written = files.filter((file) => file !== 'migrations/schema.sql');
    assert.deepEqual(
      written.filter((file) => read(file).split('\n').length > 250),
      [],
    );
  });

  it('keeps each statement beside the one module that makes a function of it, under a name of its own', () => {
    const made = files.flatMap((file) =>
      [...read(file).matchAll(/\b(?:statement|filteredStatement)<.*?>\(\s*'([^']+)'/gs)].map(([, name]) =>
        path.join(path.dirname(file), `${name}.sql`),
      ),
    );
    const statements = files.filter((file) => /^(shared|functions)\/.*\.sql$/.test(file));
    assert.deepEqual(made.sort(), statements.sort());
    assert.equal(new Set(statements.map((file) => path.basename(file))).size, statements.length);
  });
});
