import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import * as grpc from '@grpc/grpc-js';
import * as pulumi from '@pulumi/pulumi';
import type { StackConfig } from '../../infra/check-settings.ts';
import { type Properties, reveal } from './dynamic-provider.ts';
import { answerAsCloud, answerCall } from './pulumi-cloud.ts';
import { project } from './stack-config.ts';

const root = path.resolve(import.meta.dirname, '../..');

export type Run = {
  readonly status: number | null;
  /** Its output, on the console and to the engine. */
  readonly said: string;
  readonly warnings: readonly string[];
  /** Types and names of what it registered. */
  readonly registered: readonly string[];
  /** The inputs of each resource, by its type and name. */
  readonly inputs: ReadonlyMap<string, Properties>;
};

export type Options = {
  /** Default: true. */
  readonly isPreview?: boolean;
  /** The name of a resource that Google Cloud knows nothing of, since its creation failed halfway. */
  readonly neverMade?: string;
  /** The folder of another program, without `main`; default: this repository. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * Runs the program of Pulumi.yaml as `pulumi preview` does, or `pulumi up`: by Pulumi's own entry point, from the folder and with the environment that its language host would give it, against an
 * engine that only takes notes.
 */
export async function runByPulumi(stack: StackConfig, options: Options = {}): Promise<Run> {
  const { isPreview = true, neverMade } = options;
  const inputs = new Map<string, Properties>();
  const logged: Log[] = [];
  await pulumi.runtime.setMocks(
    { call: answerCall, newResource: answerAsCloud(isPreview, neverMade) },
    project.name,
    'test',
    isPreview,
  );
  const server = new grpc.Server();
  server.addService(services.ResourceMonitorService, toMonitor(inputs));
  server.addService(services.EngineService, toEngine(logged));
  const port = await listen(server);
  try {
    const { status, said } = await start(stack, `127.0.0.1:${port}`, options);
    const messages = logged.map(({ message }) => message);
    const warnings = logged.filter(({ isWarning }) => isWarning).map(({ message }) => message);
    return { status, said: [said, ...messages].join('\n'), warnings, registered: [...inputs.keys()], inputs };
  } finally {
    server.forceShutdown();
  }
}

type Log = { readonly message: string; readonly isWarning: boolean };
type Answer = (error: Error | null, response?: unknown) => void;
type Call<Request> = { readonly request: Request };
type Named = { getType(): string; getName(): string; getObject(): { toJavaScript(): Properties } };

// Pulumi's own descriptions of what is said between a program and its engine. They come without types.
const load = createRequire(import.meta.url);
const services = {
  ...load('@pulumi/pulumi/proto/resource_grpc_pb.js'),
  ...load('@pulumi/pulumi/proto/engine_grpc_pb.js'),
};
const { log, getRootResource, setRootResource } = services.EngineService;
const { LogSeverity } = load('@pulumi/pulumi/proto/engine_pb.js');

/** Pulumi's mocks, behind the wire. */
function toMonitor(inputs: Map<string, Properties>): grpc.UntypedServiceImplementation {
  const mocks = pulumi.runtime.getMonitor() as unknown as Record<
    string,
    (request: unknown, answer: Answer) => void
  >;
  return {
    getDeploymentInfo: ({ request }: Call<unknown>, answer: Answer) =>
      mocks.getDeploymentInfo?.(request, answer),
    invoke: ({ request }: Call<unknown>, answer: Answer) => mocks.invoke?.(request, answer),
    registerPackage: ({ request }: Call<unknown>, answer: Answer) => mocks.registerPackage?.(request, answer),
    registerResource: ({ request }: Call<Named>, answer: Answer) => {
      inputs.set(`${request.getType()} ${request.getName()}`, reveal(request.getObject().toJavaScript()));
      mocks.registerResource?.(request, answer);
    },
    registerErrorHook: (_call: Call<unknown>, answer: Answer) => answer(null, new log.responseType()),
    registerResourceOutputs: (_call: Call<unknown>, answer: Answer) => answer(null, new log.responseType()),
    signalAndWaitForShutdown: (_call: Call<unknown>, answer: Answer) => answer(null, new log.responseType()),
  };
}

function toEngine(logged: Log[]): grpc.UntypedServiceImplementation {
  let urn = '';
  return {
    log: ({ request }: Call<{ getMessage(): string; getSeverity(): number }>, answer: Answer) => {
      logged.push({
        message: request.getMessage(),
        isWarning: request.getSeverity() === LogSeverity.WARNING,
      });
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

async function start(stack: StackConfig, engine: string, { folder, env, isPreview = true }: Options) {
  const [pwd, program] = folder ? [folder, 'index.mjs'] : locateProgram();
  const name = stack.namespace;
  const args = ['--project', name, '--stack', 'test', '--pwd', pwd, '--root-directory', folder ?? root];
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
        // The user who runs the tests may be logged in: their credentials must not be found.
        HOME: '/nonexistent',
        METADATA_SERVER_DETECTION: 'none',
        // Pulumi keeps a stack trace of each promise, which takes a third of the time.
        NODE_OPTIONS: isPreview ? '--stack-trace-limit=0' : '',
        PULUMI_CONFIG: JSON.stringify(stack.values),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(stack.secretKeys),
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
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

function locateProgram(): [string, string] {
  const main = path.join(root, project.main);
  return [path.dirname(main), path.basename(main)];
}
