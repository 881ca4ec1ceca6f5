import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { ConfigError } from '../shared/errors.ts';
import { buildBundle } from './bundle/build-bundle.ts';
import { checkStack } from './check-stack.ts';
import { DeadLetterOffice } from './dead-letter-office.ts';
import { describeCommand } from './migrate/describe-command.ts';
import { Migrations } from './migrate/migrations.ts';

const root = path.resolve(import.meta.dirname, '..');
const { settings, warnings } = await checkOrStop();
// Pulumi waits for pending log calls before it exits.
for (const warning of warnings) void pulumi.log.warn(warning);
const bundle = await buildBundle({ root, outDir: path.join(root, 'dist/bundle') });

const deployment = new DeadLetterOffice('dead-letter-office', {
  settings,
  bundle,
  migrate: settings.migrateByHand ? undefined : (schema, opts) => new Migrations('migrations', schema, opts),
});

export const { urls, captureTopic, deliveryIdentities, sources, next } = deployment;
export const migrate = pulumi
  .output(deployment.schema)
  .apply((schema) =>
    settings.migrateByHand && schema && 'instance' in schema
      ? describeCommand(schema, schema.logins)
      : undefined,
  );

/** Throws invalid settings as a RunError, which Pulumi shows without a stack trace. */
async function checkOrStop() {
  const stack = {
    namespace: pulumi.getProject(),
    values: pulumi.runtime.allConfig(),
    secretKeys: JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS ?? '[]'),
  };
  try {
    return await checkStack(stack, pulumi.runtime.isDryRun());
  } catch (error) {
    throw error instanceof ConfigError ? new pulumi.RunError(error.message) : error;
  }
}
