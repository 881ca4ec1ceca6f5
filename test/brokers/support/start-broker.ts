import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { isListening, type Program, startJava, waitFor } from './start-program.ts';

export type Broker = { readonly bootstrap: string; readonly program: Program };

const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg';

/** Starts a Kafka broker that is its own controller, with its data in `folder`, and waits until it serves. */
export async function startBroker(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Broker> {
  const [port, controllerPort] = [await findFreePort(), await findFreePort()];
  const bootstrap = `127.0.0.1:${port}`;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://${bootstrap},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://${bootstrap}`,
    'log.dirs': path.join(folder, 'kafka'),
    // Dead letters keep the time of their record: those of old ones would be deleted within a minute.
    'log.retention.ms': '-1',
    'num.partitions': '3',
    'offsets.topic.num.partitions': '1',
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'errors.deadletterqueue.auto.create.topics.enable': 'true',
    'group.initial.rebalance.delay.ms': '0',
    'log.cleaner.dedupe.buffer.size': '16777216',
    ...settings,
  };
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'server.properties');
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(''));
  const format = startJava(['kafka', 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file]);
  await waitFor('the log folder was formatted', format.hasEnded);
  const program = startJava(['kafka', 'kafka.Kafka', file], { megabytes: 384 });
  await waitFor('Kafka served', () => isListening(port), { program });
  return { bootstrap, program };
}
