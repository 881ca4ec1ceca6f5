import path from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Makes each module of ours that is loaded by `import()` begin with `entry`, which is loaded by then. esbuild writes a file
 * for each set of modules that the same files share: so everything that a function starts with is one file, not ten.
 */
export function loadOnDemand(root: string, entry: string): Plugin {
  const namespace = 'on-demand';
  return {
    name: 'load-on-demand',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path: file, resolveDir, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const module = path.relative(root, path.resolve(resolveDir, file)).split(path.sep).join('/');
        return { path: module, namespace };
      });
      onLoad({ filter: /./, namespace }, ({ path: module }) => ({
        contents: `import './${entry}';\nexport * from './${module}';`,
        resolveDir: root,
      }));
    },
  };
}
