// A program for a process of its own, which trusts the stand-in of Google: creates a dynamic resource as
// `pulumi up` does, with the variables and the configuration that it receives. Sends the message of an error,
// if any.
import { create } from '../../infra/dynamic/dynamic-code.ts';

export type Create = {
  readonly inputs: Parameters<typeof create>[1];
  readonly env: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, string>>;
};
export type Created = { readonly failure?: string };

const inherited = { ...process.env };
process.on('message', async ({ inputs, env, config }: Create) => {
  process.env = { ...inherited, ...env };
  try {
    await create((key) => config[key], inputs);
    process.send?.({});
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
