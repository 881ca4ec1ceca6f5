import { readFileSync } from 'node:fs';
import path from 'node:path';
import type * as pulumi from '@pulumi/pulumi';
import { checkSettings } from '../../infra/check-settings.ts';
import { DeadLetterOffice as Deployment } from '../../infra/dead-letter-office.ts';
import type { SettingsInput } from '../../infra/settings.ts';
import { toRunError } from '../../infra/to-run-error.ts';

/** The settings of a deployment: those of a stack (docs/configuration.md), and `project`. */
export type DeadLetterOfficeArgs = SettingsInput;

const inPackage = (file: string) => path.resolve(import.meta.dirname, '../..', file);

/**
 * A complete deployment of Dead Letter Office, with the functions and the migrations of this package. Throws a RunError
 * with every problem of the settings before it registers a resource.
 */
export class DeadLetterOffice extends Deployment {
  constructor(name: string, args: DeadLetterOfficeArgs, opts?: pulumi.ComponentResourceOptions) {
    const { hash } = JSON.parse(readFileSync(inPackage('functions.json'), 'utf8'));
    super(name, { settings: check(args), bundle: { folder: inPackage('functions'), hash } }, opts);
  }
}

function check(args: DeadLetterOfficeArgs) {
  try {
    return checkSettings(args);
  } catch (error) {
    throw toRunError(error);
  }
}
