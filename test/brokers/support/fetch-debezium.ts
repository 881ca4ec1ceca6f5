import { rmSync } from 'node:fs';
import path from 'node:path';
import { debeziumFolder, softwareFolder } from './cache.ts';
import { compareChecksums, run } from './fetch-packages.ts';

const version = '3.6.0.Final';

/**
 * Downloads the distribution of Debezium Server by Maven, 780 MB, and unpacks its jars. The repository of
 * Maven is a temporary one: that of the user would keep the archive.
 */
export async function fetchDebezium({ isPinning }: { readonly isPinning: boolean }): Promise<void> {
  const repository = path.join(debeziumFolder, 'repository');
  run('mvn', [
    ...['--quiet', '--batch-mode', '--strict-checksums', `-Dmaven.repo.local=${repository}`],
    'org.apache.maven.plugins:maven-dependency-plugin:2.8:get',
    ...[`-Dartifact=io.debezium:debezium-server-dist:${version}:tar.gz`, '-Dtransitive=false'],
  ]);
  const folder = path.join(repository, 'io/debezium/debezium-server-dist', version);
  const archive = `debezium-server-dist-${version}.tar.gz`;
  const list = path.join(softwareFolder, 'debezium/debezium.sha256');
  await compareChecksums({ folder, files: [archive], list, isPinning });
  const unpacked = [`debezium-server/debezium-server-dist-${version}-runner.jar`, 'debezium-server/lib'];
  const parameters = ['--extract', '--strip-components=1', `--file=${path.join(folder, archive)}`];
  run('tar', [...parameters, ...unpacked], debeziumFolder);
  rmSync(repository, { recursive: true });
}
