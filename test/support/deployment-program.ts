import assert from 'node:assert/strict';
import * as pulumi from '@pulumi/pulumi';
import { DeadLetterOffice, type MakeMigrations } from '../../infra/dead-letter-office.ts';
import { readSettings } from '../../infra/read-settings.ts';
import type { Settings, SettingsInput } from '../../infra/settings.ts';
import { type Ran, type Registered, type RunOptions, runProgram } from './pulumi-program.ts';
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

/** Stand-ins for the bundle and the migrations, which have their own tests. */
export const bundle = { folder: 'infra', hash: '0123abcd' };
export const migrate: MakeMigrations = (schema, opts) =>
  new (class extends pulumi.CustomResource {})('test:index:Migrations', 'migrations', { ...schema }, opts);

/** Registers a complete deployment and returns its resources and outputs. */
export function runDeployment(settings: SettingsInput, options?: RunOptions): Promise<Ran> {
  return runProgram(() => {
    const deployment = new DeadLetterOffice('dead-letter-office', { settings, bundle, migrate });
    const { urls, captureTopic, deliveryIdentities, sources, next, migrate: command } = deployment;
    return { urls, captureTopic, deliveryIdentities, sources, next, ...(command && { migrate: command }) };
  }, options);
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
