import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Adds to `packages` each package that our code loads by `import()`, and leaves it to a file of its own that all functions
 * share. esbuild would split it like a module of ours, and a CommonJS package would lose its named exports.
 */
export function separatePackages(packages: Set<string>): Plugin {
  return {
    name: 'separate-packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[^.]/ }, ({ path, importer, kind }) => {
        const isOurs = !/[\\/]node_modules[\\/]/.test(importer);
        if (kind !== 'dynamic-import' || !isOurs || isBuiltin(path)) return undefined;
        packages.add(path);
        return { path: `../packages/${path}.cjs`, external: true };
      });
    },
  };
}
