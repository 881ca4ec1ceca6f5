import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { findMissingRefresh } from '../../infra/check-program.ts';
import { checkSettings, orStop } from '../../infra/check-settings.ts';
import { componentType, deploy } from '../../infra/deploy.ts';
import type { DeadLetterOfficeArgs, DeadLetterOffice as Described } from './component.ts';

/** The component, as component.ts describes it to programs in TypeScript: tsc sees no assigned outputs. */
export const DeadLetterOffice = class extends pulumi.ComponentResource {
  constructor(name: string, args: DeadLetterOfficeArgs, opts?: pulumi.ComponentResourceOptions) {
    const folder = path.join(import.meta.dirname, 'functions');
    const { hash } = JSON.parse(readFileSync(`${folder}.json`, 'utf8'));
    const settings = checkArgs(args);
    super(componentType, name, {}, opts);
    Object.assign(this, deploy(this, settings, { folder, hash }));
    for (const warning of findMissingRefresh()) void pulumi.log.warn(warning, this);
  }
} as unknown as typeof Described;

/** Of the deployments of this program. Names of resources begin with them, in whatever project. */
const names = new Set<string>();

function checkArgs(args: DeadLetterOfficeArgs) {
  const settings = orStop(() => checkSettings(args));
  const { name } = settings;
  if (names.has(name)) {
    throw new pulumi.RunError(`Another deployment of this program has the name ${name}: give each its own.`);
  }
  names.add(name);
  return settings;
}
