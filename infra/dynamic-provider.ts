import path from 'node:path';
import type * as pulumi from '@pulumi/pulumi';

/** Reads a value of the stack's configuration by its full key, such as `gcp:accessToken`. */
export type ReadConfig = (key: string) => string | undefined;

/** Returns the input `code` for a module, which is named without its extension: in an installed package it is JavaScript. */
export function locateCode(folder: string, module: string): string {
  return path.relative('', path.join(folder, module + path.extname(import.meta.filename)));
}

/** The inputs of a resource, and the path of the module that does its work, relative to the folder of the program. */
export type WithCode<Inputs> = Inputs & { readonly code: string };

/** The exports of such a module. `create` and `update` return the outputs; `check` replaces the inputs. */
export type DynamicCode<Inputs, Outputs> = {
  check?(olds: Partial<Inputs>, news: Inputs, readConfig: ReadConfig): Promise<Inputs>;
  diff(olds: Outputs, news: Inputs, readConfig: ReadConfig): Promise<pulumi.dynamic.DiffResult>;
  create(inputs: Inputs, readConfig: ReadConfig): Promise<pulumi.dynamic.CreateResult<Outputs>>;
  update(olds: Outputs, news: Inputs, readConfig: ReadConfig): Promise<Outputs>;
};

type Inputs = WithCode<object>;

// Pulumi serialises these functions into its state and runs them in another process, in the folder of the program.
// Imports of this module are missing there, so the functions load their modules by a path from that folder.

const stack: { config?: pulumi.dynamic.Config } = {};
const readConfig: ReadConfig = (key) => stack.config?.get(key);

const load = async ({ code }: Inputs): Promise<DynamicCode<Inputs, object>> => {
  const { resolve } = await import('node:path');
  const { pathToFileURL } = await import('node:url');
  return await import(pathToFileURL(resolve(code)).href);
};

/** A provider that calls the module at the input `code`. */
export const dynamicProvider: pulumi.dynamic.ResourceProvider = {
  configure: async ({ config }) => {
    stack.config = config;
  },
  check: async (olds: Partial<Inputs>, news: Inputs) => {
    const code = await load(news);
    return { inputs: code.check ? await code.check(olds, news, readConfig) : news };
  },
  diff: async (_id, olds: Inputs, news: Inputs) => (await load(news)).diff(olds, news, readConfig),
  create: async (inputs: Inputs) => (await load(inputs)).create(inputs, readConfig),
  update: async (_id, olds: Inputs, news: Inputs) => ({
    outs: await (await load(news)).update(olds, news, readConfig),
  }),
};
