import type * as pulumi from '@pulumi/pulumi';
import { DeadLetterOffice } from '../../infra/dead-letter-office.ts';
import type { SettingsInput } from '../../infra/settings.ts';
import { bundle } from './deployment-program.ts';
import { type Ran, type RunOptions, runProgram } from './pulumi-program.ts';

/** Registers a complete deployment in this process, and returns its resources and outputs. */
export async function registerDeployment(settings: SettingsInput, options: RunOptions = {}): Promise<Ran> {
  return await runProgram((): pulumi.Inputs => {
    const deployment = new DeadLetterOffice('dead-letter-office', { settings, bundle });
    const { urls, captureTopic, deliveryIdentity, sources, dashboard, next } = deployment;
    return { urls, captureTopic, deliveryIdentity, sources, dashboard, next };
  }, options);
}
