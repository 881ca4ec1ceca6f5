import * as pulumi from '@pulumi/pulumi';
import type { VariableName } from '../shared/environment/environment.ts';
import { toAddresses } from './members.ts';
import { isKnown } from './setting-schemas.ts';
import type { Settings } from './settings.ts';
import { stackSettings, tickSeconds } from './stack-settings.ts';

/** Minimum seconds for a tick to settle the events that it has claimed before the function times out. */
const settleSeconds = 300;

export const secretVariables = ['ROUTES', 'SOURCES', 'CAPTURE_SECRETS'] as const;
export type SecretVariable = (typeof secretVariables)[number];

/** The sources that say how their messages are read. */
function listReadings({ sources }: Settings): object[] {
  return sources.flatMap((source) =>
    source.kind === 'caller' && source.reads ? [{ name: source.name, ...source.reads }] : [],
  );
}

type Variables = Readonly<Partial<Record<VariableName, pulumi.Input<string>>>>;

/** The text of a setting, an output only if the setting is one. */
function write(value: unknown, format: (known: unknown) => string): pulumi.Input<string> {
  return isKnown(value) ? format(value) : pulumi.all([value]).apply(([known]) => format(known));
}

/** Converts the settings to variables of the functions, except those that depend on created resources. */
export function toVariables(settings: Settings): Variables {
  const values: Readonly<Record<string, unknown>> = settings;
  const readings = listReadings(settings);
  const passed = stackSettings.map(({ name, variable }) => [variable, write(values[name], String)]);
  return {
    ...Object.fromEntries(passed),
    ROUTES: write(settings.routes, JSON.stringify),
    GROUP_RULES: JSON.stringify(settings.groupRules),
    MASKS: settings.masks.join(),
    SOURCES: readings.length > 0 ? JSON.stringify(readings) : '',
    CONSOLE_OPERATORS: toAddresses(settings.operators),
    CONSOLE_VIEWERS: toAddresses(settings.viewers),
    TICK_BUDGET_SECONDS: String(tickSeconds - Math.max(settleSeconds, settings.leaseSeconds)),
  };
}
