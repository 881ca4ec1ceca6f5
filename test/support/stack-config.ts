import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { StackConfig } from '../../infra/check-settings.ts';
import { loadYaml } from './yaml.ts';

const root = path.resolve(import.meta.dirname, '../..');

export type Declared = {
  readonly type: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly items?: { readonly type: string };
};

export type Project = {
  readonly name: string;
  readonly main: string;
  readonly options?: { readonly refresh?: string };
  readonly runtime: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
  readonly config: Readonly<Record<string, Declared>>;
};

export function readYaml<T>(file: string): T {
  return loadYaml(readFileSync(path.join(root, file), 'utf8')) as T;
}

export const project = readYaml<Project>('Pulumi.yaml');

/**
 * The configuration of an example stack as Pulumi hands it to the program: with defaults, and every value as
 * text.
 */
export function readStackConfig(stack: string): StackConfig {
  const { config } = readYaml<{ config: Record<string, unknown> }>(`Pulumi.${stack}.yaml`);
  const defaults = Object.entries(project.config).map(([key, declared]) => [
    `${project.name}:${key}`,
    declared.default,
  ]);
  const values = Object.entries({ ...Object.fromEntries(defaults), ...config })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
  return { namespace: project.name, values: Object.fromEntries(values), secretKeys: [] };
}
