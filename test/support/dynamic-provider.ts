import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import * as grpc from '@grpc/grpc-js';
import * as pulumi from '@pulumi/pulumi';

export type Properties = Record<string, unknown>;
type Struct = { toJavaScript(): Properties };

/** The calls that Pulumi's engine makes to a provider, by Pulumi's own protocol. */
export type DynamicProvider = {
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  delete(olds: Properties): Promise<void>;
  stop(): void;
};

// Pulumi's own descriptions of its protocol. They come without types.
const load = createRequire(import.meta.url);
const { ResourceProviderClient } = load('@pulumi/pulumi/proto/provider_grpc_pb');
const messages = load('@pulumi/pulumi/proto/provider_pb');
const { Struct } = createRequire(load.resolve('@pulumi/pulumi'))('google-protobuf/google/protobuf/struct_pb');

/** Runs the process in which Pulumi has dynamic providers work, in the folder of a program. */
export async function startDynamicProvider(cwd: string, env: NodeJS.ProcessEnv): Promise<DynamicProvider> {
  const provider = load.resolve('@pulumi/pulumi/cmd/dynamic-provider');
  const child = spawn(process.execPath, [provider, '127.0.0.1:1'], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [port] = await once(child.stdout, 'data');
  const client = new ResourceProviderClient(
    `127.0.0.1:${String(port).trim()}`,
    grpc.credentials.createInsecure(),
  );
  const call = (method: string, fields: Record<string, Properties>) =>
    new Promise<{ getProperties(): Struct; getId(): string }>((resolve, reject) => {
      const request = new messages[`${method}Request`]();
      for (const [field, value] of Object.entries(fields))
        request[`set${field}`](Struct.fromJavaScript(value));
      client[method.toLowerCase()](request, (error: Error | null, response: never) =>
        error ? reject(error) : resolve(response),
      );
    });
  await call('Configure', { Args: {} });
  return {
    create: async (inputs) => {
      const created = await call('Create', { Properties: inputs });
      return { id: created.getId(), outs: created.getProperties().toJavaScript() };
    },
    delete: async (olds) => {
      await call('Delete', { Properties: olds });
    },
    stop: () => {
      client.close();
      child.kill();
    },
  };
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
