import { type Started, startInstalled } from '../../../support/installed-bundle.ts';
import { waitFor } from '../../wait-for.ts';
import { find, type Google } from '../google.ts';
import { type MetadataServer, startMetadataServer } from '../metadata-server.ts';
import type { Revision } from '../revision.ts';
import { idTokenOf } from '../tokens.ts';
import { installArchives } from './install-archive.ts';

export type Instances = {
  /** Returns the address of an instance of the serving revision, which is started with the first request. */
  locate(service: string): Promise<string>;
  /** Everything that the instances of a service have logged. */
  logOf(service: string): string;
  stop(): Promise<void>;
};

type Instance = { readonly started: Started; readonly metadata: MetadataServer };

/**
 * Runs the revisions of Cloud Run services by functions-framework: the archive that was uploaded, with the
 * variables, secrets and account that were set. `env` leads a process to the stand-in instead of Google.
 */
export function openInstances(google: Google, env: Readonly<Record<string, string>>): Instances {
  const archives = installArchives();
  const instances = new Map<string, { readonly revision: Revision; readonly instance: Promise<Instance> }>();
  const start = async (service: string, revision: Revision): Promise<Instance> => {
    const { account, archive, variables, entryPoint } = revision;
    const member = `serviceAccount:${account}`;
    const metadata = await startMetadataServer(member, (audience) => idTokenOf(member, audience));
    const started = await startInstalled(await archives.install(archive), entryPoint, {
      ...variables,
      ...readSecrets(google, revision),
      K_SERVICE: service.split('/').at(-1) ?? '',
      K_REVISION: `${service.split('/').at(-1)}-${revision.number}`,
      ...env,
      ...metadata.env,
    });
    await waitFor(`${service} listened`, () => isListening(started.url)).catch((error) => {
      throw new Error(`${error}\n${started.output()}`);
    });
    return { started, metadata };
  };
  const stop = async ({ started, metadata }: Instance) => {
    await started.stop();
    metadata.stop();
  };
  const replace = async (before: Promise<Instance> | undefined, service: string, revision: Revision) => {
    await before?.then(stop);
    return start(service, revision);
  };
  const logs = new Map<string, () => string>();
  return {
    locate: async (service) => {
      const revision = google.revisions.get(service);
      if (!revision) throw new Error(`${service} has no revision.`);
      const known = instances.get(service);
      const isCurrent = known?.revision === revision;
      const instance = isCurrent ? known.instance : replace(known?.instance, service, revision);
      instances.set(service, { revision, instance });
      const { started } = await instance;
      logs.set(service, started.output);
      return started.url;
    },
    logOf: (service) => logs.get(service)?.() ?? '',
    stop: async () => {
      for (const { instance } of instances.values()) await instance.then(stop, () => {});
      await archives.remove();
    },
  };
}

function readSecrets(google: Google, { secrets }: Revision): Record<string, string> {
  const read = (version: string) => {
    const { payload } = find(google, version) as { payload: { data: string } };
    return Buffer.from(payload.data, 'base64').toString();
  };
  return Object.fromEntries(Object.entries(secrets).map(([variable, version]) => [variable, read(version)]));
}

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}health`).then(
    () => true,
    () => false,
  );
}
