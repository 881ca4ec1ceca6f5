import path from 'node:path';
import type { Rewrite } from './rewrite-modules.ts';

/**
 * A function becomes a folder of files, while those that it reads keep their places beside that. So what a module says of
 * its own place is made to say where it was: `new URL('page.css', import.meta.url)` finds the same file.
 */
export const keepPlaces: Rewrite = (code, place) =>
  code
    .replaceAll('import.meta.url', `require('node:url').pathToFileURL(__dirname + '/../${place}').href`)
    .replaceAll('import.meta.dirname', `(__dirname + '/../${path.posix.dirname(place)}')`);
