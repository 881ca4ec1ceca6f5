import type * as pulumi from '@pulumi/pulumi';
import type { Applied, Inputs } from './apply-schema.ts';

// Pulumi keeps these functions in its state as text, and runs them in a process of its own in the folder of the
// program. Nothing that is imported here is there, so that they load what they need, by a path from that folder.

const applySchema = async (inputs: Inputs): Promise<Applied> => {
  const { resolve } = await import('node:path');
  const { pathToFileURL } = await import('node:url');
  const code = await import(pathToFileURL(resolve(inputs.code)).href);
  return code.applySchema(inputs);
};

/** What Pulumi does about a schema: it is migrated when migrations, logins or the place of the database are others. */
export const provider: pulumi.dynamic.ResourceProvider<Inputs, Inputs> = {
  create: async (inputs) => {
    const outs = await applySchema(inputs);
    return { id: outs.id, outs };
  },
  update: async (_id, _olds, news) => ({ outs: await applySchema(news) }),
  diff: async (_id, olds, news) => {
    const { isDeepStrictEqual } = await import('node:util');
    const isOther = (field: keyof Inputs) => !isDeepStrictEqual(olds[field], news[field]);
    const whereOf = ({ user: _user, ...where }: Inputs['place'] & { user?: string }) => where;
    return {
      changes: isOther('place') || isOther('logins') || isOther('migrations'),
      replaces: isDeepStrictEqual(whereOf(olds.place), whereOf(news.place)) ? [] : ['place'],
    };
  },
};
