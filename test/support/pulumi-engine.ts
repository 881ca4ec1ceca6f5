import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import * as grpc from '@grpc/grpc-js';
import * as pulumi from '@pulumi/pulumi';
import type { StackConfig } from '../../infra/read-settings.ts';
import { answerAsCloud } from './pulumi-cloud.ts';
import { project } from './stack-config.ts';

const root = path.resolve(import.meta.dirname, '../..');

export type Run = {
  readonly status: number | null;
  /** What it said, on the console and to the engine. */
  readonly said: string;
  /** Types and names of what it registered. */
  readonly registered: readonly string[];
};

/**
 * Runs the program of Pulumi.yaml as `pulumi preview` does, or `pulumi up`, without credentials: by Pulumi's own entry point, from the folder and with the
 * environment that its language host would give it, against an engine that only takes notes.
 */
export async function runByPulumi(stack: StackConfig, isPreview = true): Promise<Run> {
  const registered: string[] = [];
  const logged: string[] = [];
  await pulumi.runtime.setMocks(
    { call: () => ({}), newResource: answerAsCloud(isPreview) },
    project.name,
    'test',
    isPreview,
  );
  const server = new grpc.Server();
  server.addService(services.ResourceMonitorService, toMonitor(registered));
  server.addService(services.EngineService, toEngine(logged));
  const port = await listen(server);
  try {
    const { status, said } = await start(stack, { engine: `127.0.0.1:${port}`, isPreview });
    return { status, said: [said, ...logged].join('\n'), registered };
  } finally {
    server.forceShutdown();
  }
}

type Answer = (error: Error | null, response?: unknown) => void;
type Call<Request> = { readonly request: Request };
type Named = { getType(): string; getName(): string };

// Pulumi's own descriptions of what is said between a program and its engine. They come without types.
const load = createRequire(import.meta.url);
const services = {
  ...load('@pulumi/pulumi/proto/resource_grpc_pb.js'),
  ...load('@pulumi/pulumi/proto/engine_grpc_pb.js'),
};
const { log, getRootResource, setRootResource } = services.EngineService;

/** Pulumi's mocks, behind the wire. */
function toMonitor(registered: string[]): grpc.UntypedServiceImplementation {
  const mocks = pulumi.runtime.getMonitor() as unknown as Record<
    string,
    (request: unknown, answer: Answer) => void
  >;
  return {
    getDeploymentInfo: ({ request }: Call<unknown>, answer: Answer) =>
      mocks.getDeploymentInfo?.(request, answer),
    registerPackage: ({ request }: Call<unknown>, answer: Answer) => mocks.registerPackage?.(request, answer),
    registerResource: ({ request }: Call<Named>, answer: Answer) => {
      registered.push(`${request.getType()} ${request.getName()}`);
      mocks.registerResource?.(request, answer);
    },
    registerResourceOutputs: (_call: Call<unknown>, answer: Answer) => answer(null, new log.responseType()),
    signalAndWaitForShutdown: (_call: Call<unknown>, answer: Answer) => answer(null, new log.responseType()),
  };
}

function toEngine(logged: string[]): grpc.UntypedServiceImplementation {
  let urn = '';
  return {
    log: ({ request }: Call<{ getMessage(): string }>, answer: Answer) => {
      logged.push(request.getMessage());
      answer(null, new log.responseType());
    },
    getRootResource: (_call: Call<unknown>, answer: Answer) => {
      const response = new getRootResource.responseType();
      response.setUrn(urn);
      answer(null, response);
    },
    setRootResource: ({ request }: Call<{ getUrn(): string }>, answer: Answer) => {
      urn = request.getUrn();
      answer(null, new setRootResource.responseType());
    },
  };
}

function listen(server: grpc.Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

async function start(
  stack: StackConfig,
  { engine, isPreview }: { readonly engine: string; readonly isPreview: boolean },
): Promise<{ status: number | null; said: string }> {
  const main = path.join(root, project.main);
  // Of a folder it is not said what in there is the program.
  const [pwd, program] = statSync(main).isDirectory()
    ? [main, '.']
    : [path.dirname(main), path.basename(main)];
  const args = ['--project', project.name, '--stack', 'test', '--pwd', pwd, '--root-directory', root];
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules/@pulumi/pulumi/cmd/run'),
      ...['--monitor', engine, '--engine', engine, '--parallel', '16', ...args],
      ...(isPreview ? ['--dry-run'] : []),
      program,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        // Whoever runs the tests may be logged in: their credentials are not to be found.
        HOME: '/nonexistent',
        METADATA_SERVER_DETECTION: 'none',
        PULUMI_CONFIG: JSON.stringify(stack.values),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(stack.secretKeys),
        ...(project.runtime.options.typescript === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
      },
    },
  );
  const [status, ...said] = await Promise.all([
    new Promise<number | null>((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, said: said.join('') };
}
