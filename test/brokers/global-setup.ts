import { tmpdir } from 'node:os';
import path from 'node:path';
import { globalSetup as startPostgres, globalTeardown as stopPostgres } from '../support/global-setup.ts';
import { isPresent } from './support/package-managers.ts';
import { startBridge } from './support/start-bridge.ts';
import { startBroker } from './support/start-broker.ts';
import type { Program } from './support/start-program.ts';

const programs: Program[] = [];

/**
 * Starts PostgreSQL, Kafka if there is Java, and Strimzi's bridge if there are a release and Java 21; all
 * sources share them.
 */
export async function globalSetup(): Promise<void> {
  // Kafka and Maven take more room than there is in memory.
  process.env.TMPDIR ??= tmpdir();
  await startPostgres();
  if (!isPresent('maven')) return;
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', 'brokers');
  const broker = await startBroker(folder);
  process.env.BOOTSTRAP = broker.bootstrap;
  programs.push(broker.program);
  const { STRIMZI_BRIDGE } = process.env;
  if (!STRIMZI_BRIDGE || !isPresent('java21')) return;
  const bridge = await startBridge(STRIMZI_BRIDGE, broker.bootstrap, folder);
  process.env.BRIDGE = bridge.url;
  programs.push(bridge.program);
}

/**
 * Stops the programs first: a broker writes files into the folder while it is removed, and Node would repeat
 * a failed teardown for ever.
 */
export async function globalTeardown(): Promise<void> {
  for (const program of programs.reverse()) await program.stop();
  await stopPostgres();
}
