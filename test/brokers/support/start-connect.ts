import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { type Program, startJava, waitFor } from './start-program.ts';

export type Connect = { readonly url: string; readonly program: Program };

type Options = {
  /** A folder with a folder of jars for each connector. */
  readonly plugins?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Starts a worker of Kafka Connect, which knows the sink that fails. */
export async function startConnect({ plugins, env = {} }: Options = {}): Promise<Connect> {
  const folder = process.env.DLO_TEST_FOLDER ?? '';
  const port = await findFreePort();
  const file = path.join(folder, `connect-${port}.properties`);
  const bytes = 'org.apache.kafka.connect.converters.ByteArrayConverter';
  const properties = [
    `bootstrap.servers=${process.env.BOOTSTRAP}`,
    `listeners=http://127.0.0.1:${port}`,
    `key.converter=${bytes}`,
    `value.converter=${bytes}`,
    `offset.storage.file.filename=${path.join(folder, `connect-${port}.offsets`)}`,
    ...(plugins === undefined ? [] : [`plugin.path=${plugins}`]),
  ];
  await writeFile(file, properties.join('\n'));
  const program = startJava(['connect', 'org.apache.kafka.connect.cli.ConnectStandalone', file], {
    megabytes: 256,
    env,
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/connectors`).catch(() => undefined))?.ok ?? false;
  await waitFor('Kafka Connect answered', isReady, { program });
  return { url, program };
}

/** Creates a sink connector. */
export async function createConnector(
  { url }: Connect,
  name: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  const response = await fetch(`${url}/connectors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, config }),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
}

/** The settings by which Connect writes dead letters that say what failed. */
export function deadLettersTo(topic: string): Record<string, string> {
  return {
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': topic,
    'errors.deadletterqueue.topic.replication.factor': '1',
    'errors.deadletterqueue.context.headers.enable': 'true',
  };
}
