import path from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Gives each module of ours that is loaded by `import()` a file of its own, except for those that `entry` alone would
 * load: they are of other functions. Each such file begins with what the function `name` starts with, which is there by
 * then. For esbuild makes a file of whatever the same files share: so all that a function starts with is one, not ten.
 */
export function loadLater(root: string, entry: string, name: string): Plugin {
  const namespace = 'later';
  return {
    name: 'load-later',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path: file, resolveDir, kind, importer }) => {
        if (kind !== 'dynamic-import') return undefined;
        if (importer === path.join(root, entry)) return { path: file, external: true };
        const place = path.relative(root, path.resolve(resolveDir, file)).split(path.sep).join('/');
        return { path: place, namespace };
      });
      onLoad({ filter: /./, namespace }, ({ path: place }) => ({
        contents: `export { ${name} as start } from './${entry}';\nexport * from './${place}';`,
        resolveDir: root,
      }));
    },
  };
}
