import { selectCredentials } from '../../migrations/credentials.ts';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { assertDeployer } from './assert-deployer.ts';

/** Settings whose change replaces, or takes away, what holds events. */
export const originSettings = [
  'project',
  'name',
  'region',
  'kmsKey',
  'privateNetwork',
  'privateServiceConnect',
  'existingInstance',
] as const;

export type OriginInputs = {
  /** The settings of a deployment that can be set only at its creation, as text. */
  readonly settings: Readonly<Record<(typeof originSettings)[number] | 'databaseUrls', string>>;
  /** Undefined if it does not log in to a database. */
  readonly deployer: string | undefined;
};

/**
 * Refuses another value, in the preview already: Google Cloud would replace the database, or Pulumi would
 * delete it and make an empty one.
 */
export const origin: DynamicKind<OriginInputs> = {
  check: async ({ readConfig }, _olds, news) => {
    // Refuses credentials that the migrations could not use.
    selectCredentials(process.env, readConfig);
    return news;
  },
  hasChanged: async (_deps, { settings: before, deployer }, { settings, ...news }) => {
    const names = Object.keys(settings) as (keyof typeof settings)[];
    const changed = names.filter((name) => before[name] !== settings[name]);
    // An instance may join a network, and cannot leave it.
    const isJoining = before.privateNetwork === '';
    const refused = changed.filter((name) => !(isJoining && name.startsWith('private')));
    if (refused.length === 0) return changed.length > 0 || deployer !== news.deployer;
    const values = refused.map((name) => `${name} from "${before[name]}" to "${settings[name]}"`);
    throw new Error(
      `Cannot change ${values.join(', ')}: it is set at creation, and another value would replace the database ` +
        'and lose its events. Restore the value, or move to a new deployment: docs/deploy.md#moving. Destroy this ' +
        'one first if it was never completed.',
    );
  },
  apply: async ({ readConfig }, { deployer }) => {
    if (!deployer) return;
    await assertDeployer(selectCredentials(process.env, readConfig), deployer);
  },
};
