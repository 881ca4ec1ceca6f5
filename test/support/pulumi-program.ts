import * as pulumi from '@pulumi/pulumi';
import { answerAsCloud, answerCall } from './pulumi-cloud.ts';

/** A resource as the program registered it: what it was given, and by which options Pulumi is to treat it. */
export type Registered = {
  readonly type: string;
  readonly name: string;
  /** The component that it is a part of. */
  readonly parent: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly protect: boolean;
  /** It is deleted before its replacement is created. */
  readonly deleteBeforeReplace: boolean;
  /** It is left behind where the program takes it away. */
  readonly isKept: boolean;
  /** Hooks that run if it cannot be created, updated or deleted. */
  readonly onError: readonly string[];
  /** Names of the resources that it waits for, said or by what it is made of. */
  readonly waitsFor: readonly string[];
};

export type Ran = { readonly resources: readonly Registered[]; readonly outputs: unknown };

export type RunOptions = {
  readonly isPreview?: boolean;
  /** The name of a resource that Google Cloud knows nothing of, since its creation failed halfway. */
  readonly neverMade?: string;
};

/** The labels that the provider adds to resources, in the configuration of every program. */
export const defaultLabels = { team: 'payments' };

/** Stands for what a preview does not know yet, and for what Pulumi keeps encrypted. */
export const unknown = '(unknown)';
export type Secret = { readonly secret: unknown };

// Public, and left out of the types.
const runtime = pulumi.runtime as unknown as { waitForRPCs(): Promise<void> };

type Request = {
  getType(): string;
  getName(): string;
  getParent(): string;
  getProtect(): boolean;
  getRetainondelete(): boolean | undefined;
  getHooks(): { getOnErrorList(): string[] } | undefined;
  getDeletebeforereplace(): boolean;
  getDependenciesList(): string[];
  getObject(): never;
};

/**
 * Runs a program with Pulumi's own mocks, which keep its options to themselves: they are read from what it
 * sends. In a preview nothing that Google Cloud makes up is known; in an update it answers as Google Cloud
 * does.
 */
export function runProgram(
  program: () => pulumi.Inputs | Promise<pulumi.Inputs>,
  options: RunOptions = {},
): Promise<Ran> {
  const ran = running.then(() => run(program, options));
  running = ran.catch(() => {});
  return ran;
}

// Pulumi's runtime knows one program at a time.
let running: Promise<unknown> = Promise.resolve();

async function run(
  program: () => pulumi.Inputs | Promise<pulumi.Inputs>,
  { isPreview = false, neverMade }: RunOptions,
): Promise<Ran> {
  const mocks = { call: answerCall, newResource: answerAsCloud(isPreview, neverMade) };
  pulumi.runtime.setAllConfig({ 'gcp:defaultLabels': JSON.stringify(defaultLabels) });
  await pulumi.runtime.setMocks(mocks, 'dead-letter-office', 'test', isPreview);
  const sent: Request[] = [];
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResource(req: Request, answer: unknown): unknown;
    registerErrorHook(req: unknown, answer: (error: null, response: object) => void): void;
  };
  monitor.registerErrorHook = (_, answer) => answer(null, {});
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (req, answer) => {
    sent.push(req);
    return register(req, answer);
  };
  // Pulumi keeps a stack trace of each of its promises, which takes a third of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const outputs = await pulumi.runtime.runInPulumiStack(async () => program());
  await runtime.waitForRPCs();
  Error.stackTraceLimit = stackTraceLimit;
  const resources = sent
    .map(toRegistered)
    .filter(({ type }) => type !== pulumi.runtime.rootPulumiStackTypeName);
  return { resources: resources.sort(byTypeAndName), outputs: readable(outputs) };
}

function toRegistered(req: Request): Registered {
  // The code of dynamic providers has its own tests.
  const { __provider: _code, ...inputs } = readable(
    pulumi.runtime.deserializeProperties(req.getObject(), true),
  ) as Record<string, unknown>;
  return {
    type: req.getType(),
    name: req.getName(),
    parent: nameOf(req.getParent()),
    inputs,
    protect: req.getProtect() ?? false,
    deleteBeforeReplace: req.getDeletebeforereplace(),
    isKept: req.getRetainondelete() ?? false,
    onError: req.getHooks()?.getOnErrorList() ?? [],
    waitsFor: req.getDependenciesList().map(nameOf).sort(),
  };
}

function nameOf(urn: string): string {
  return urn.split('::').at(-1) ?? '';
}

function readable(value: unknown): unknown {
  if (pulumi.isUnknown(value)) return unknown;
  if (pulumi.runtime.isRpcSecret(value)) return { secret: readable(pulumi.runtime.unwrapRpcSecret(value)) };
  if (Array.isArray(value)) return value.map(readable);
  if (pulumi.asset.Archive.isInstance(value)) return '(an archive)';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readable(each)]));
}

function byTypeAndName(a: Registered, b: Registered): number {
  return `${a.type} ${a.name}`.localeCompare(`${b.type} ${b.name}`);
}
