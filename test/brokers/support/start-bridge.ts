import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { type Program, startProgram, waitFor } from './start-program.ts';

/** Starts Strimzi's bridge, of which `home` is the unpacked release, and returns its address with it. */
export async function startBridge(
  home: string,
  bootstrap: string,
  folder: string,
): Promise<{ readonly url: string; readonly program: Program }> {
  const [port, managementPort] = [await findFreePort(), await findFreePort()];
  const file = path.join(folder, 'bridge.properties');
  const properties = [
    'bridge.id=suite',
    `kafka.bootstrap.servers=${bootstrap}`,
    'http.host=127.0.0.1',
    `http.port=${port}`,
    `http.management.port=${managementPort}`,
  ];
  await writeFile(file, properties.join('\n'));
  const libraries = path.join(home, 'libs/*');
  const jvm = ['-Xmx128m', '-XX:+UseSerialGC', `-Dvertx.cacheDirBase=${folder}`, '-cp', libraries];
  const program = startProgram([
    'java',
    ...jvm,
    'io.strimzi.kafka.bridge.Application',
    `--config-file=${file}`,
  ]);
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () =>
    (await fetch(`http://127.0.0.1:${managementPort}/healthy`).catch(() => undefined))?.ok ?? false;
  await waitFor("Strimzi's bridge answered", isReady, { program });
  return { url, program };
}
