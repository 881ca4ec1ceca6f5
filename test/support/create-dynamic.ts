// A program for a process of its own, which trusts the stand-in of Google: creates a dynamic resource as
// `pulumi up` does, with the variables that it receives. Sends the message of an error,
// if any.
import { openResource } from '../../infra/dynamic/dynamic-code.ts';

export type Create = {
  readonly inputs: Parameters<typeof openResource>[0];
  readonly env?: Readonly<Record<string, string>>;
};
export type Created = { readonly failure?: string };

const inherited = { ...process.env };
process.on('message', async ({ inputs, env }: Create) => {
  process.env = { ...inherited, ...env };
  try {
    await openResource(inputs).apply();
    process.send?.({});
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
