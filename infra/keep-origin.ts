import type { DynamicKind } from './dynamic/dynamic-kind.ts';
import type { KnownSettings } from './settings.ts';

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

export type OriginInputs = {
  /** The problems of the settings that are outputs; empty if there are none. */
  readonly problems: string;
  /** The settings of a deployment that can be set only at its creation, as text. */
  readonly settings: Readonly<Record<string, string>>;
  /** Undefined if it does not log in to a database. */
  readonly deployer: string | undefined;
};

/** Returns the settings that can be set only at creation. */
export function pickOrigin(settings: KnownSettings): Record<string, string> {
  const topics = settings.sources.flatMap((source) =>
    source.kind === 'topic' ? [[`sources.${source.name}.topic`, source.topic] as const] : [],
  );
  return {
    ...Object.fromEntries([...originSettings.map((name) => [name, String(settings[name])]), ...topics]),
    // Only whether there are URLs: they are secrets, and may change.
    databaseUrls: Object.keys(settings.databaseUrls).length > 0 ? 'set' : '',
  };
}

/** Refuses another value, in the preview already: Pulumi would replace what holds events and messages. */
export const origin: DynamicKind<OriginInputs> = {
  check: async (_google, _olds, news) => {
    if (news.problems) throw new Error(news.problems);
    return news;
  },
  hasChanged: async (_google, { settings: before, deployer }, { settings, ...news }) => {
    const names = Object.keys({ ...before, ...settings });
    const changed = names.filter((name) => before[name] !== settings[name]);
    // An instance may join a network, and cannot leave it.
    const isJoining = before.privateNetwork === '';
    const refused = changed
      .filter((name) => name in before && name in settings)
      .filter((name) => !(isJoining && name.startsWith('private')));
    if (refused.length === 0) return changed.length > 0 || deployer !== news.deployer;
    const values = refused.map((name) => `${name} from "${before[name]}" to "${settings[name]}"`);
    throw new Error(
      `Cannot change ${values.join(', ')}: it is set at creation, and another value would replace the database, ` +
        'topics or subscriptions and lose what they hold. Restore the value, or move: docs/deploy.md#moving. ' +
        'Destroy this deployment first if it was never completed.',
    );
  },
  apply: async ({ ask }, { deployer }) => {
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
