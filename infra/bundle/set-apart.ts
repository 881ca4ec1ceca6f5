import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** Leaves packages that our code loads by `import()` to files of their own, and adds their names to `packages`. */
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
