import type * as v from 'valibot';
import { ConfigError } from '../shared/errors.ts';
import { inspectSettings } from './check-settings.ts';
import { type KnownSettings, SettingsSchema } from './settings.ts';

/** The configuration of a stack as Pulumi has it: every value is a string, lists and objects are JSON. */
export type StackConfig = {
  /** Namespace of the Pulumi project. */
  readonly namespace: string;
  readonly values: Readonly<Record<string, string>>;
  /** Full keys of values that are encrypted in the stack file. */
  readonly secretKeys: readonly string[];
};

/** Settings that must be encrypted in the stack file. */
const secrets = ['captureSecrets', 'databaseUrls'] as const;

/** Reads the configuration of a stack. Throws a ConfigError with every problem. */
export function readSettings({ namespace, values, secretKeys }: StackConfig): KnownSettings {
  const prefix = `${namespace}:`;
  const own = Object.entries(values)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, text]) => [key.slice(prefix.length), text] as const);
  const given = Object.fromEntries(own.map(([name, text]) => [name, toValue(name, text)]));
  // Pulumi.yaml has these as the values of what is not set.
  const isSet = (name: string) => !['', '{}'].includes(values[prefix + name] ?? '');
  const open = secrets.filter((name) => isSet(name) && !secretKeys.includes(prefix + name));
  const unencrypted = open.map((field) => {
    return { field, value: '(not shown)', remedy: `Encrypt it: pulumi config set --secret ${field} ...` };
  });
  const { settings, problems } = inspectSettings({ project: values['gcp:project'], ...given });
  if (problems.length + unencrypted.length > 0) throw new ConfigError([...problems, ...unencrypted]);
  return settings as KnownSettings;
}

/** Parses a value as JSON unless the setting is a string, which may look like a number. */
function toValue(name: string, text: string): unknown {
  const entry = Object.entries(SettingsSchema.entries).find(([each]) => each === name)?.[1];
  if (!entry || isText('wrapped' in entry ? entry.wrapped : entry)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isText({ type }: v.GenericSchema): boolean {
  return ['string', 'picklist', 'lazy'].includes(type);
}
