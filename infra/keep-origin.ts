import type * as pulumi from '@pulumi/pulumi';
import { unknownValue } from '@pulumi/pulumi/runtime/rpc.js';
import type { DynamicKind } from './dynamic/dynamic-kind.ts';
import type { Ask } from './google-api.ts';
import type { Settings } from './settings.ts';

/** Settings whose change replaces, or takes away, what holds events. */
const originSettings = [
  'project',
  'name',
  'region',
  'kmsKey',
  'privateNetwork',
  'privateServiceConnect',
  'existingInstance',
] as const;

type OriginSettings = Readonly<Record<string, string | boolean>>;

export type OriginInputs = {
  /** The problems of the settings that are outputs; empty if there are none. */
  readonly problems: string;
  /** The settings of a deployment that can be set only at its creation. */
  readonly settings: OriginSettings;
  /** Undefined if it does not log in to a database. */
  readonly deployer: string | undefined;
};

/** Returns the settings that can be set only at creation. */
export function pickOrigin(settings: Settings): Record<string, pulumi.Input<string | boolean>> {
  const topics = settings.sources.flatMap((source) =>
    source.kind === 'topic' ? [[`sources.${source.name}.topic`, source.topic] as const] : [],
  );
  return {
    ...Object.fromEntries([...originSettings.map((name) => [name, settings[name]] as const), ...topics]),
    // Only whether there are URLs: they are secrets, and may change.
    databaseUrls: Object.keys(settings.databaseUrls).length > 0 ? 'set' : '',
  };
}

/** Throws an Error for another value: Pulumi would replace what holds events and messages. */
function refuseChanges(before: OriginSettings, settings: OriginSettings): void {
  // An instance may join a network, and cannot leave it.
  const isJoining = before.privateNetwork === '';
  const values = Object.entries(settings)
    .filter(([name, value]) => name in before && before[name] !== value && value !== unknownValue)
    .filter(([name]) => !(isJoining && name.startsWith('private')))
    .map(([name, value]) => `${name} from "${before[name]}" to "${value}"`);
  if (values.length === 0) return;
  throw new Error(
    `Cannot change ${values.join(', ')}: it is set at creation, and another value would replace the database, ` +
      'topics or subscriptions and lose what they hold. Restore the value, or move: docs/deploy.md#moving. ' +
      'Destroy this deployment first if it was never completed.',
  );
}

/** Throws an Error if the project has a deployment of this name: an update would make half of a second one. */
async function refuseTakenName(ask: Ask, { project, name }: OriginSettings): Promise<void> {
  const topic = `projects/${project}/topics/${name}-capture`;
  // Where it cannot be read, as before its API is enabled, each creation decides.
  const found = await ask(`https://pubsub.googleapis.com/v1/${topic}`).catch(() => undefined);
  if (!found) return;
  throw new Error(
    `Another deployment has ${topic}. Set a name that is new in its project: pulumi config set name NAME. If its ` +
      'state is lost, import what it has.',
  );
}

/** Refuses settings in the preview already, and then a name that is taken and the credentials of another account. */
export const origin: DynamicKind<OriginInputs> = {
  refuse: ({ settings: before = {} }, { problems, settings }) => {
    if (problems && problems !== unknownValue) throw new Error(problems);
    refuseChanges(before, settings);
  },
  apply: async ({ ask }, { deployer, settings }, olds) => {
    if (!olds) await refuseTakenName(ask, settings);
    if (!deployer) return;
    // Where Google does not report whose the credentials are, the login to the database decides.
    const asked = ask<{ email?: string }>('https://oauth2.googleapis.com/tokeninfo', { method: 'POST' });
    const found = await asked.catch(() => undefined);
    const email = found?.email?.toLowerCase();
    if (email === undefined || deployer.replace(/^\w+:/, '') === email) return;
    const kind = email.endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
    throw new Error(
      `The deployer is ${deployer}, and the credentials are those of ${email}, which cannot log in to the database as ` +
        `the deployer. Use its credentials, or: pulumi config set deployer ${kind}:${email}`,
    );
  },
};
