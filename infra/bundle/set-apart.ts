import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Leaves packages that our code loads by `import()` to files of their own, which all functions share, and adds their
 * names to `packages`. Split like a module of ours, one that is CommonJS would no longer have its exports by name.
 */
export function setApart(packages: Set<string>): Plugin {
  return {
    name: 'set-apart',
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
