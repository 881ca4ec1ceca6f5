import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { listFiles } from './list-files.ts';

/** Puts every statement into the code, in place of the module that reads them: a cold start then opens no file for it. */
export function inlineSql(root: string): Plugin {
  return {
    name: 'inline-sql',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]shared[\\/]read-sql\.ts$/ }, async () => {
        const folder = path.join(root, 'shared/sql');
        const texts: Record<string, string> = {};
        for (const file of await listFiles(folder)) {
          texts[path.basename(file, '.sql')] = await readFile(path.join(folder, file), 'utf8');
        }
        return {
          contents: `const texts = ${JSON.stringify(texts)};\nexport const readSql = (name) => texts[name];`,
        };
      });
    },
  };
}
