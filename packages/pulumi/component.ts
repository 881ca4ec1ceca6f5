import type * as pulumi from '@pulumi/pulumi';
import type { Outputs } from '../../infra/outputs.ts';
import type { SettingsInput } from '../../infra/settings.ts';

/** The settings of a deployment: those of a stack (docs/configuration.md), and `project`. */
export type DeadLetterOfficeArgs = SettingsInput;

/**
 * A complete deployment of Dead Letter Office, with the functions and the migrations of this package. Throws a RunError
 * with every problem of the settings before it registers a resource.
 */
export type DeadLetterOffice = pulumi.ComponentResource & Outputs;

export declare const DeadLetterOffice: new (
  name: string,
  args: DeadLetterOfficeArgs,
  opts?: pulumi.ComponentResourceOptions,
) => DeadLetterOffice;
