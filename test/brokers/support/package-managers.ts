import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Where software comes from beside npm, and what that takes. */
const managers = {
  maven: { needs: 'a JDK from 17 and Maven', isThere: () => runs('javac') && runs('mvn') },
  java21: { needs: 'Java from 21', isThere: () => readJavaVersion() >= 21 },
  debian: { needs: 'apt of Debian 12 on amd64', isThere: () => runs('apt-get') && isBookworm() },
  python: { needs: 'Python from 3.10 with pip', isThere: () => runs('python3', '-m', 'pip') },
};

export type PackageManager = keyof typeof managers;

const present = new Map<PackageManager, boolean>();

export function isPresent(name: PackageManager): boolean {
  const known = present.get(name) ?? managers[name].isThere();
  present.set(name, known);
  return known;
}

/** Returns a sentence if one of these package managers is missing: the reason to skip a test. */
export function explainMissing(...names: readonly PackageManager[]): string | false {
  const missing = names.filter((name) => !isPresent(name)).map((name) => managers[name].needs);
  return missing.length > 0 && `Skipped: it needs ${missing.join(', and ')} (test/brokers/README.md).`;
}

function runs(command: string, ...parameters: readonly string[]): boolean {
  return spawnSync(command, [...parameters, '--version']).status === 0;
}

function readJavaVersion(): number {
  const { stdout } = spawnSync('java', ['--version'], { encoding: 'utf8' });
  return Number(/^\S+ (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

function isBookworm(): boolean {
  const file = '/etc/os-release';
  const isDebian = existsSync(file) && /^VERSION_CODENAME=bookworm$/m.test(readFileSync(file, 'utf8'));
  return isDebian && process.arch === 'x64';
}
