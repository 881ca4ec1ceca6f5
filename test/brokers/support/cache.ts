import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

/** The committed sources: one folder for each software. */
export const softwareFolder = path.join(root, 'test/brokers/software');

/** Where package managers put the software; outside of git. */
export const cacheFolder = path.join(root, 'node_modules/.cache/brokers');

/** The class path of a Maven module: its own classes and its dependencies. */
export function classPath(module: string): string {
  const folder = path.join(cacheFolder, module);
  return [path.join(folder, 'classes'), path.join(folder, 'jars/*')].join(path.delimiter);
}
