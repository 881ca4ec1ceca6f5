import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { buildBundle } from './bundle/build-bundle.ts';
import { orStop, readSettings } from './check-settings.ts';
import { componentType, deploy } from './deploy.ts';

const root = path.resolve(import.meta.dirname, '..');
const settings = orStop(() =>
  readSettings({
    namespace: pulumi.getProject(),
    values: pulumi.runtime.allConfig(),
    secretKeys: JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS ?? '[]'),
  }),
);
const bundle = await buildBundle({ root, outDir: path.join(root, 'dist/bundle') });
const component = new pulumi.ComponentResource(componentType, 'dead-letter-office');

/** The outputs of the stack. */
export const outputs = deploy(component, settings, bundle);
