import type * as pulumi from '@pulumi/pulumi';
import type { Applied, Inputs } from './apply-schema.ts';

// Pulumi serialises these functions into its state and runs them in another process, in the folder of the program.
// Imports of this module are missing there, so the functions load their modules by a path from that folder.

const applySchema = async (inputs: Inputs): Promise<Applied> => {
  const { resolve } = await import('node:path');
  const { pathToFileURL } = await import('node:url');
  const code = await import(pathToFileURL(resolve(inputs.code)).href);
  return code.applySchema(inputs);
};

/** Migrates the schema if the migrations, the logins or the location of the database changed. */
export const provider: pulumi.dynamic.ResourceProvider<Inputs, Inputs> = {
  create: async (inputs) => {
    const outs = await applySchema(inputs);
    return { id: outs.id, outs };
  },
  update: async (_id, _olds, news) => ({ outs: await applySchema(news) }),
  diff: async (_id, olds, news) => {
    const { isDeepStrictEqual } = await import('node:util');
    const isChanged = (field: keyof Inputs) => !isDeepStrictEqual(olds[field], news[field]);
    const withoutUser = ({ user: _user, ...rest }: Inputs['location'] & { user?: string }) => rest;
    return {
      changes: isChanged('location') || isChanged('logins') || isChanged('migrations'),
      replaces: isDeepStrictEqual(withoutUser(olds.location), withoutUser(news.location)) ? [] : ['location'],
    };
  },
};
