import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  debeziumFolder,
  debianFolder,
  kafkaClientsFolder,
  mavenFolder,
  pythonFolder,
  softwareFolder,
} from './cache.ts';
import { fetchDebezium } from './fetch-debezium.ts';
import { fetchDebs, fetchJars, fetchNpm, fetchPython, hash } from './fetch-packages.ts';
import { isPresent, type PackageManager } from './package-managers.ts';

type Fetching = {
  readonly folder: string;
  readonly needs: readonly PackageManager[];
  /** The files of `software/` that decide what is fetched. */
  readonly sources: string;
  readonly fetch: (options: { readonly isPinning: boolean }) => void | Promise<void>;
};

const all: readonly Fetching[] = [
  { folder: debianFolder, needs: ['debian'], sources: 'debs.sha256', fetch: fetchDebs },
  { folder: pythonFolder, needs: ['python'], sources: 'python/requirements.txt', fetch: fetchPython },
  {
    folder: kafkaClientsFolder,
    needs: [],
    sources: 'kafka-clients/*',
    // A native addon: npm leaves it out where there is no binary for it.
    fetch: () => fetchNpm(kafkaClientsFolder),
  },
  {
    folder: mavenFolder,
    needs: ['maven'],
    sources: '{jars.sha256,pom.xml,*/pom.xml,*/*.java,*/META-INF/**}',
    fetch: fetchJars,
  },
  {
    folder: debeziumFolder,
    needs: ['maven', 'java21'],
    sources: 'debezium/debezium.sha256',
    fetch: fetchDebezium,
  },
];

/**
 * Fetches what is not in the cache yet, by the package managers that are there, with the settings of the
 * user. Versions are pinned, and so is the content of every package.
 */
export async function fetchSoftware({ isPinning }: { readonly isPinning: boolean }): Promise<void> {
  for (const { folder, needs, sources, fetch } of all) {
    if (!needs.every(isPresent)) continue;
    /** Equals the sources once everything was fetched. */
    const stampFile = `${folder}.fetched`;
    if (!isPinning && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources(sources))
      continue;
    rmSync(stampFile, { force: true });
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await fetch({ isPinning });
    writeFileSync(stampFile, hashSources(sources));
  }
}

function hashSources(pattern: string): string {
  const files = globSync(pattern, { cwd: softwareFolder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const paths = files.map((each) => path.join(each.parentPath, each.name)).sort();
  return hash(paths.map((file) => `${file} ${hash(readFileSync(file))}\n`).join(''));
}
