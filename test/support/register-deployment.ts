import * as pulumi from '@pulumi/pulumi';
import { checkSettings } from '../../infra/check-settings.ts';
import { componentType, deploy } from '../../infra/deploy.ts';
import type { SettingsInput } from '../../infra/settings.ts';
import { bundle } from './deployment-program.ts';
import { type Ran, type RunOptions, runProgram } from './pulumi-program.ts';

/** Registers a complete deployment in this process, and returns its resources and outputs. */
export async function registerDeployment(settings: SettingsInput, options: RunOptions = {}): Promise<Ran> {
  return await runProgram((): pulumi.Inputs => {
    const checked = checkSettings(settings);
    return deploy(new pulumi.ComponentResource(componentType, 'dead-letter-office'), checked, bundle);
  }, options);
}
