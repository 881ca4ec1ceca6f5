import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import * as grpc from '@grpc/grpc-js';
import * as pulumi from '@pulumi/pulumi';

export type Properties = Record<string, unknown>;
type Struct = { toJavaScript(): Properties };

/** The calls that Pulumi's engine makes to a provider, by Pulumi's own protocol. */
export type DynamicProvider = {
  check(olds: Properties, news: Properties): Promise<Properties>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  update(olds: Properties, news: Properties): Promise<Properties>;
  delete(olds: Properties): Promise<void>;
  diff(olds: Properties, news: Properties): Promise<{ changes: boolean; replaces: string[] }>;
};

// Pulumi's own descriptions of its protocol. They come without types.
const load = createRequire(import.meta.url);
const { ResourceProviderClient } = load('@pulumi/pulumi/proto/provider_grpc_pb');
const messages = load('@pulumi/pulumi/proto/provider_pb');
const { Struct } = createRequire(load.resolve('@pulumi/pulumi'))('google-protobuf/google/protobuf/struct_pb');

/**
 * Runs the process in which Pulumi has dynamic providers work, in the folder of the program, and speaks to it as the engine
 * does, with the configuration of a stack.
 */
export function useDynamicProvider(
  env = (): NodeJS.ProcessEnv => ({}),
  config: Readonly<Record<string, string>> = {},
  folder = () => process.cwd(),
): () => DynamicProvider {
  let provider: DynamicProvider | undefined;
  let stop = (): unknown => undefined;
  before(async () => {
    const child = spawn(
      process.execPath,
      [load.resolve('@pulumi/pulumi/cmd/dynamic-provider'), '127.0.0.1:1'],
      {
        cwd: folder(),
        env: { ...process.env, ...env() },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    stop = () => child.kill();
    const [port] = await once(child.stdout, 'data');
    provider = await connect(`127.0.0.1:${String(port).trim()}`, config);
  });
  after(() => stop());
  return () => {
    if (!provider) throw new Error('The provider is there only while tests run.');
    return provider;
  };
}

async function connect(address: string, config: Properties): Promise<DynamicProvider> {
  const client = new ResourceProviderClient(address, grpc.credentials.createInsecure());
  const call = (method: string, fields: Properties) =>
    new Promise<{ getProperties(): Struct; getInputs(): Struct; toObject(): Properties }>(
      (resolve, reject) => {
        const request = new messages[`${method}Request`]();
        for (const [field, value] of Object.entries(fields)) {
          request[`set${field}`](typeof value === 'string' ? value : Struct.fromJavaScript(value));
        }
        client[method.toLowerCase()](request, (error: Error | null, response: never) =>
          error ? reject(error) : resolve(response),
        );
      },
    );
  await call('Configure', { Args: config });
  return {
    check: async (olds, news) => {
      const checked = await call('Check', { Olds: olds, News: news });
      return checked.getInputs().toJavaScript();
    },
    create: async (inputs) => {
      const created = await call('Create', { Properties: inputs });
      return { id: String(created.toObject().id), outs: created.getProperties().toJavaScript() };
    },
    update: async (olds, news) =>
      (await call('Update', { Olds: olds, News: news })).getProperties().toJavaScript(),
    delete: async (olds) => {
      await call('Delete', { Properties: olds });
    },
    diff: async (olds, news) => {
      const { changes, replacesList } = (await call('Diff', { Olds: olds, News: news })).toObject();
      return {
        changes: changes === messages.DiffResponse.DiffChanges.DIFF_SOME,
        replaces: replacesList as string[],
      };
    },
  };
}

/** What a program gives the engine to pass on, when it makes a resource. */
export async function registerInputs(make: () => pulumi.Resource): Promise<Properties> {
  let inputs: Properties | undefined;
  await pulumi.runtime.setMocks({
    newResource: (given) => {
      inputs = given.inputs;
      return { id: given.name, state: given.inputs };
    },
    call: () => ({}),
  });
  const { urn } = make();
  await new Promise((resolve) => urn.apply(resolve));
  if (!inputs) throw new Error('Nothing was registered.');
  return reveal(inputs);
}

/** Returns the inputs as a provider without support for secrets gets them. */
export function reveal(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, revealValue(value)]));
}

function revealValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revealValue);
  if (typeof value !== 'object' || value === null) return value;
  if (pulumi.runtime.isRpcSecret(value)) return revealValue(pulumi.runtime.unwrapRpcSecret(value));
  return reveal(value as Properties);
}
