import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * A function becomes one file, while the files that it reads keep their places below it. So what a module says of its
 * own place is made to say where it was: `new URL('page.css', import.meta.url)` finds the same file.
 */
export function keepPlaces(root: string): Plugin {
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const code = await readFile(file, 'utf8');
        const place = path.relative(root, file).split(path.sep).join('/');
        const contents = code
          .replaceAll('import.meta.url', `require('node:url').pathToFileURL(__dirname + '/${place}').href`)
          .replaceAll('import.meta.dirname', `(__dirname + '/${path.posix.dirname(place)}')`);
        return { contents, loader: 'ts' };
      });
    },
  };
}
