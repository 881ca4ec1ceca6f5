import * as pulumi from '@pulumi/pulumi';
import type { SettingsInput } from '../../infra/settings.ts';
import { registerDeployment } from './register-deployment.ts';

// Warnings have tests of their own.
console.warn = () => {};

// A process beside that of the tests: it registers one deployment for each message.
process.on('message', async ({ settings, options }: Record<'settings' | 'options', never>) => {
  process.send?.(await registerDeployment(makeOutputs(settings) as SettingsInput, options));
});

/** Puts the outputs of other resources in the place of what stands for them. */
function makeOutputs(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(makeOutputs);
  if ('outputOf' in value) return pulumi.output(value.outputOf ?? pulumi.unknown);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, makeOutputs(each)]));
}
