import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** Says a module of ours otherwise. `place` is where it is, seen from the root, with slashes. */
export type Rewrite = (code: string, place: string) => string;

/**
 * Rewrites each module of ours before it is bundled. None does anything by being imported, so that what nobody uses of
 * it can be left out; a bare import of one would be a warning, and so an error.
 */
export function rewriteModules(root: string, rewrites: readonly Rewrite[]): Plugin {
  return {
    name: 'rewrite-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path: file, resolveDir }) => ({
        path: path.resolve(resolveDir, file),
        sideEffects: false,
      }));
      onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const code = await readFile(file, 'utf8');
        const place = path.relative(root, file).split(path.sep).join('/');
        return {
          contents: rewrites.reduce((text, rewrite) => rewrite(text, place), code),
          loader: 'ts',
        };
      });
    },
  };
}
