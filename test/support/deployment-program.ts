import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { readSettings } from '../../infra/check-settings.ts';
import type { Settings, SettingsInput } from '../../infra/settings.ts';
import { endWithProcess } from './end-with-process.ts';
import type { Ran, Registered, RunOptions } from './pulumi-program.ts';
import { shareJson } from './share-json.ts';
import { readStackConfig } from './stack-config.ts';

/** Minimal settings that cause no warning. */
export const plainSettings: SettingsInput = {
  project: 'acme-test',
  deployer: 'user:ana@acme.example',
  operators: ['user:ben@acme.example'],
  alertEmail: 'oncall@acme.example',
};

export function exampleSettings(stack: 'dev' | 'prod'): Settings {
  return readSettings(readStackConfig(stack));
}

const prod = exampleSettings('prod');
const sharing: SettingsInput = {
  ...prod,
  project: 'p'.repeat(30),
  existingInstance: `${'p'.repeat(30)}:europe-west1:main`,
  maxConnections: 1000,
  captureSecrets: 'sixteen characters',
};

/** Settings that use every option between them. */
export const configurations = {
  prod,
  plain: plainSettings,
  /** In a company with rules, with a setting for everything that a deployment may have. */
  full: {
    ...prod,
    privateNetwork: 'projects/acme-host/global/networks/shared',
    privateSubnetwork: 'projects/acme-host/regions/europe-west1/subnetworks/functions',
    privateServiceConnect: true,
    kmsKey: 'projects/acme-keys/locations/europe-west1/keyRings/data/cryptoKeys/dlo',
    ingress: 'ALLOW_INTERNAL_AND_GCLB',
    captureSecrets: 'sixteen characters',
    masks: ['$.customer.email'],
    iap: true,
    operators: ['user:ana@acme.example', 'group:oncall@acme.example'],
    viewers: ['group:developers@acme.example', 'domain:acme.example'],
    exportArchive: true,
    grantDelaySeconds: 300,
    schedule: '30 * * * *',
    timeZone: 'Europe/Berlin',
    alertPending: 7,
    alertOldestHours: 2,
    alertFailingHours: 2,
    notificationChannels: ['projects/acme-prod/notificationChannels/42'],
    sources: [
      ...prod.sources.map((each) =>
        each.kind === 'caller' ? { ...each, reads: { preset: 'shopify' as const } } : each,
      ),
      {
        name: 'returns',
        kind: 'subscription',
        subscription: 'projects/acme-logistics/subscriptions/returns',
      },
      { name: 'refunds', kind: 'topic', topic: 'projects/acme-logistics/topics/refunds-dead' },
    ],
  },
  /** On an instance of another project. */
  guest: {
    ...plainSettings,
    existingInstance: 'acme-shared:europe-west1:main',
    maxConnections: 100,
    exportArchive: true,
    exportBucket: 'acme-archive',
    alertNewGroups: 5,
    alertRegressedGroups: 0,
    paused: true,
  },
  /** On a PostgreSQL outside of Cloud SQL. */
  elsewhere: {
    ...plainSettings,
    databaseUrls: Object.fromEntries(
      ['capture', 'retry', 'replay', 'console', 'maintain'].map((name) => [
        name,
        `postgres://${name}@10.0.0.2/events`,
      ]),
    ),
    maxConnections: 500,
    iap: true,
    viewers: ['domain:acme.example'],
  },
  /** In a private network, without protection. */
  network: {
    ...plainSettings,
    privateNetwork: 'projects/acme-test/global/networks/private',
    privateSubnetwork: 'projects/acme-test/regions/us-central1/subnetworks/functions',
    deletionProtection: false,
    schedule: '0 0 1 * *',
  },
  /** Two on one instance, in one project, with the longest names. */
  one: { ...sharing, name: 'a'.repeat(12) },
  two: { ...sharing, name: 'two' },
} satisfies Record<string, SettingsInput>;

/** Stands in for the bundle, which has its own tests. */
export const bundle = { folder: 'infra', hash: '0123abcd' };

export type Configuration = keyof typeof configurations;

const known = new Map<string, Promise<Ran>>();

/** Returns the resources and outputs of a deployment, which is registered once for all tests of a run. */
export async function deployed(name: Configuration, { isPreview = false } = {}): Promise<Ran> {
  const key = `${isPreview ? 'previewed' : 'deployed'}-${name}`;
  const ran = known.get(key) ?? shareJson(key, () => runDeployment(configurations[name], { isPreview }));
  known.set(key, ran);
  return await ran;
}

/**
 * Registers a complete deployment in a process without the hooks of the test runner, which follow each promise:
 * Pulumi makes a hundred thousand. Node attributes a test to the suite in which the promise was made that its
 * file waits for: this call makes one.
 */
export async function runDeployment(settings: SettingsInput, options: RunOptions = {}): Promise<Ran> {
  registrar ??= startRegistrar();
  return await registrar({ settings, options });
}

/** Stands for a setting that is an output of another resource; without a value, for one that is not known yet. */
export function anOutput(value?: string): unknown {
  return { outputOf: value };
}

let registrar: ReturnType<typeof startRegistrar> | undefined;

function startRegistrar(): (program: object) => Promise<Ran> {
  const file = path.join(import.meta.dirname, 'register-deployments.ts');
  const child = fork(file, { serialization: 'advanced', execArgv: [] });
  endWithProcess(child);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${code}.`)));
  ended.catch(() => {});
  child.unref();
  let last: Promise<unknown> = Promise.resolve();
  return (program) => {
    const ran = last.then(async () => {
      child.channel?.ref();
      child.send(program);
      const [answer] = await Promise.race([once(child, 'message'), ended]);
      child.channel?.unref();
      return answer;
    });
    last = ran.catch(() => {});
    return ran;
  };
}

/** The one resource of this name among those of a type: `pubsub/topic:Topic`. */
export function find({ resources }: Ran, type: string, name: string): Registered {
  const found = resources.filter((each) => each.type === `gcp:${type}` && each.name === name);
  assert.equal(found.length, 1, `There are ${found.length} ${type} called ${name}.`);
  return found[0] as Registered;
}

/** All resources of a dynamic type of this program, such as `SqlUser`. */
export function allOwn({ resources }: Ran, type: string): readonly Registered[] {
  return resources.filter((each) => each.type === `pulumi-nodejs:dynamic/dead-letter-office:${type}`);
}

/** All resources of a type, such as `pubsub/topic:Topic`. */
export function all({ resources }: Ran, type: string): readonly Registered[] {
  return resources.filter((each) => each.type === `gcp:${type}`);
}

/** Looks into nested inputs: `at(inputs, 'settings', 'tier')`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}
