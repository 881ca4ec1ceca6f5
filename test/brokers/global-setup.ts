import path from 'node:path';
import { globalTeardown, globalSetup as startPostgres } from '../support/global-setup.ts';
import { isPresent } from './support/package-managers.ts';
import { startBridge } from './support/start-bridge.ts';
import { startBroker } from './support/start-broker.ts';

export { globalTeardown };

/** Starts PostgreSQL, Kafka if there is Java, and Strimzi's bridge if there is a release; all sources share them. */
export async function globalSetup(): Promise<void> {
  await startPostgres();
  if (!isPresent('maven')) return;
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', 'brokers');
  const { bootstrap } = await startBroker(folder);
  process.env.BOOTSTRAP = bootstrap;
  const { STRIMZI_BRIDGE } = process.env;
  if (STRIMZI_BRIDGE) process.env.BRIDGE = await startBridge(STRIMZI_BRIDGE, bootstrap, folder);
}
