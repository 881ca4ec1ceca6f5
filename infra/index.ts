import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { buildBundle } from './bundle/build-bundle.ts';
import { checkStack } from './check-stack.ts';
import { DeadLetterOffice } from './dead-letter-office.ts';
import { toRunError } from './to-run-error.ts';

const root = path.resolve(import.meta.dirname, '..');
const { settings, warnings } = await checkOrStop();
// Pulumi waits for pending log calls before it exits.
for (const warning of warnings) void pulumi.log.warn(warning);
const bundle = await buildBundle({ root, outDir: path.join(root, 'dist/bundle') });
const deployment = new DeadLetterOffice('dead-letter-office', { settings, bundle });

const { urls, captureTopic, deliveryIdentities, sources, dashboard, next } = deployment;

/** The outputs of the stack. */
export const outputs = { urls, captureTopic, deliveryIdentities, sources, dashboard, next };

async function checkOrStop() {
  const stack = {
    namespace: pulumi.getProject(),
    values: pulumi.runtime.allConfig(),
    secretKeys: JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS ?? '[]'),
  };
  try {
    return await checkStack(stack, pulumi.runtime.isDryRun());
  } catch (error) {
    throw toRunError(error);
  }
}
