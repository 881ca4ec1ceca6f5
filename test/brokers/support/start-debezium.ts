import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { debeziumFolder } from './cache.ts';
import { type Program, startProgram, waitFor } from './start-program.ts';

/**
 * Starts Debezium Server, which reads the changes of `database`, with these settings of its sink and its
 * format.
 */
export async function startDebezium(
  database: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<Program> {
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', `debezium-${name}`);
  const { hostname, port, username, password, pathname } = new URL(database);
  const properties = {
    'debezium.source.connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'debezium.source.plugin.name': 'pgoutput',
    'debezium.source.slot.name': name,
    'debezium.source.topic.prefix': 'shop',
    'debezium.source.table.include.list': 'public.orders',
    'debezium.source.database.hostname': hostname,
    'debezium.source.database.port': port,
    'debezium.source.database.user': username,
    'debezium.source.database.password': password,
    'debezium.source.database.dbname': pathname.slice(1),
    'debezium.source.offset.storage.file.filename': path.join(folder, 'offsets'),
    'debezium.source.offset.flush.interval.ms': '0',
    'quarkus.http.port': `${await findFreePort()}`,
    ...settings,
  };
  await mkdir(path.join(folder, 'config'), { recursive: true });
  const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(path.join(folder, 'config/application.properties'), lines.join(''));
  const memory = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const jars = ['*', 'lib/*'].map((each) => path.join(debeziumFolder, each)).join(path.delimiter);
  const program = startProgram(
    [
      'java',
      ...memory,
      '--add-opens=java.base/java.lang=ALL-UNNAMED',
      ...['-cp', jars, 'io.debezium.server.Main'],
    ],
    { cwd: folder },
  );
  const isReady = () => program.output().includes('Starting streaming');
  await waitFor('Debezium Server read the changes', isReady, { program });
  return program;
}
