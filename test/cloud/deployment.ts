import { homedir } from 'node:os';
import { after, before } from 'node:test';
import { describeChanges } from './changes.ts';
import { type MetadataServer, startMetadataServer } from './google/metadata-server.ts';
import { addProject } from './google/services/resource-manager.ts';
import { type RunningGoogle, startGoogle } from './google/start-google.ts';
import { tokenOf } from './google/tokens.ts';
import { createStack, type Ran, type Stack } from './stack.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export type Cloud = RunningGoogle & {
  readonly workspace: Workspace;
  /** Creates a stack, with the configuration of Pulumi.NAME.yaml if there is one. */
  stack(name: string): Promise<Stack>;
  /** Creates a stack with the configuration of another one. */
  copyStack(from: string, name: string): Promise<Stack>;
};

type Report = { diagnostic(message: string): void };

/**
 * Starts an empty Google Cloud for a suite, with a project that belongs to the deployer, and a program: a copy
 * of the repository, or another one.
 */
export function useCloud(project: string, deployer: string, create = createWorkspace): () => Cloud {
  let cloud: (Cloud & { metadata: MetadataServer }) | undefined;
  before(async () => {
    const google = await startGoogle();
    addProject(google.google, project, deployer);
    const metadata = await startMetadataServer(deployer);
    const env = {
      ...google.env,
      ...metadata.env,
      GOOGLE_OAUTH_ACCESS_TOKEN: tokenOf(deployer),
      GOOGLE_CLOUD_PROJECT: project,
    };
    const workspace = await create();
    const stack = (name: string) => createStack(workspace, name, env);
    const copyStack = async (from: string, name: string) => {
      await workspace.copy(`Pulumi.${from}.yaml`, `Pulumi.${name}.yaml`);
      return stack(name);
    };
    cloud = { ...google, metadata, workspace, stack, copyStack };
  });
  after(async () => {
    cloud?.metadata.stop();
    await cloud?.stop();
    await cloud?.workspace.remove();
  });
  return () => {
    if (!cloud) throw new Error('The cloud exists only while tests run.');
    return cloud;
  };
}

/** Runs a command and reports its changes and seconds. Throws with its output if it fails. */
export async function succeed(t: Report, stack: Stack, ...command: Command): Promise<Ran> {
  const ran = await stack.run(...command);
  report(t, stack, command, ran);
  if (ran.code !== 0) throw new Error(`pulumi ${command.join(' ')} failed:\n${diagnosticsOf(ran)}`);
  return ran;
}

/** Runs a command that has to fail, and reports as `succeed` does. Throws if it succeeds. */
export async function fail(t: Report, stack: Stack, ...command: Command): Promise<Ran> {
  const ran = await stack.run(...command);
  report(t, stack, command, ran);
  if (ran.code === 0) throw new Error(`pulumi ${command.join(' ')} should have failed.`);
  return ran;
}

type Command = readonly [command: string, ...options: readonly string[]];

function report(t: Report, stack: Stack, command: Command, { code, changes, seconds }: Ran): void {
  const outcome = code === 0 ? '' : ' failed:';
  t.diagnostic(`${stack.name}: ${command.join(' ')}:${outcome} ${describeChanges(changes)}, ${seconds} s`);
}

/** The last part of the output: what went wrong. */
export function diagnosticsOf({ output }: Ran): string {
  return output.slice(Math.max(0, output.lastIndexOf('Diagnostics:'))).replaceAll(homedir(), '~');
}
