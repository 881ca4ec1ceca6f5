import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Where Pulumi keeps the plugins that it downloaded. */
export const pluginFolder = path.join(process.env.PULUMI_HOME ?? path.join(homedir(), '.pulumi'), 'plugins');

/**
 * Says what is missing to run Pulumi's engine with the provider of Google Cloud, and how to get it; undefined
 * if nothing is.
 */
export function describeMissingEngine(): string | undefined {
  const isInstalled = globSync(path.join(pluginFolder, 'resource-gcp-v*/pulumi-resource-gcp')).length > 0;
  const hasProvider = isInstalled || isOnPath('pulumi-resource-gcp');
  if (isOnPath('pulumi') && isOnPath('pulumi-language-nodejs') && hasProvider) return undefined;
  const version = devDependencies['@pulumi/gcp'];
  return `Install Pulumi (https://www.pulumi.com/docs/install/) and its plugin for Google Cloud ("pulumi plugin install resource gcp ${version}") to run all of this suite.`;
}

/**
 * Says whether the plugin for Google Cloud is a program in the path; otherwise Pulumi takes it from its
 * folder.
 */
function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.some((folder) => existsSync(path.join(folder, program)));
}
