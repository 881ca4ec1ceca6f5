import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

/** The committed sources: one folder for each software. */
export const softwareFolder = path.join(root, 'test/brokers/software');

/** Where package managers put the software; outside of git. */
export const cacheFolder = path.join(root, 'node_modules/.cache/brokers');

/** The unpacked packages of Debian. */
export const debianFolder = path.join(cacheFolder, 'debian');

/** The packages of Python. */
export const pythonFolder = path.join(cacheFolder, 'python');

/** The libraries of Kafka that the client wraps, beside the program that uses them. */
export const kafkaClientsFolder = path.join(cacheFolder, 'kafka-clients');

/** The modules of software/pom.xml: their classes and their jars. */
export const mavenFolder = path.join(cacheFolder, 'maven');

/** The jars of Debezium Server. */
export const debeziumFolder = path.join(cacheFolder, 'debezium-server');

/** The class path of a Maven module: its own classes and its dependencies. */
export function classPath(module: string): string {
  const folder = path.join(mavenFolder, module);
  return [path.join(folder, 'classes'), path.join(folder, 'jars/*')].join(path.delimiter);
}
