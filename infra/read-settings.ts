import type * as v from 'valibot';
import { ConfigError } from '../shared/errors.ts';
import { checkSettings } from './check-settings.ts';
import { type Settings, SettingsSchema } from './settings.ts';

/** A stack's configuration as Pulumi hands it over: every value is text, lists and objects are JSON. */
export type StackConfig = {
  /** The project's own namespace. */
  readonly namespace: string;
  readonly values: Readonly<Record<string, string>>;
  /** Full keys of what is encrypted in the stack's file. */
  readonly secretKeys: readonly string[];
};

/** What only the functions and this program may know. */
const secrets = ['captureSecrets', 'databaseUrls'] as const;

/** Reads the whole configuration of a stack, or throws a ConfigError with every problem in it. */
export function readSettings({ namespace, values, secretKeys }: StackConfig): Settings {
  const prefix = `${namespace}:`;
  const own = Object.entries(values)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, text]) => [key.slice(prefix.length), text] as const);
  const settings = checkSettings({
    project: values['gcp:project'],
    ...Object.fromEntries(own.map(([name, text]) => [name, toValue(name, text)])),
  });
  const open = secrets.filter((name) => isSet(settings[name]) && !secretKeys.includes(prefix + name));
  if (open.length === 0) return settings;
  const remedy = (name: string) => `Keep it encrypted: pulumi config set --secret ${name} ...`;
  throw new ConfigError(open.map((field) => ({ field, value: '(not shown)', remedy: remedy(field) })));
}

/** Text stays what it is where text is wanted, even if it looks like a number. */
function toValue(name: string, text: string): unknown {
  const entry = Object.entries(SettingsSchema.entries).find(([each]) => each === name)?.[1];
  if (!entry || isText('wrapped' in entry ? entry.wrapped : entry)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isText(schema: v.GenericSchema): boolean {
  return schema.type === 'string' || schema.type === 'picklist';
}

function isSet(value: unknown): boolean {
  return JSON.stringify(value) !== '""' && JSON.stringify(value) !== '{}';
}
