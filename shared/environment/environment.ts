import { callerSettings } from '../config/callers.ts';
import { consoleSettings } from '../config/console.ts';
import { databaseLocationSettings, poolSettings } from '../config/database.ts';
import { limitSettings } from '../config/limits.ts';
import { retentionSettings } from '../config/retention.ts';
import { retrySettings } from '../config/retry.ts';
import { defineText, functionNames, type Setting, type Texts } from '../config/setting.ts';
import type { Problem } from '../errors.ts';
import { routeSettings } from './routes.ts';
import { sourceSettings } from './sources.ts';

const platform = (description: string, unset?: string) =>
  defineText(
    { allowed: 'set by the platform', readBy: functionNames, stack: unset ? { unset } : 'derived' },
    description,
  );

/** Every environment variable of the functions. */
export const variables = {
  ...databaseLocationSettings,
  ...poolSettings,
  ...routeSettings,
  ...retrySettings,
  ...retentionSettings,
  ...sourceSettings,
  ...consoleSettings,
  ...limitSettings,
  ...callerSettings,
  GOOGLE_CLOUD_PROJECT: platform('Project that log lines name in their trace; set by the deployment.'),
  K_SERVICE: platform('Name of the service; set by Cloud Run.', 'Cloud Run sets it.'),
  FUNCTION_TARGET: platform(
    'Function to serve; set by Cloud Functions and by `functions-framework`.',
    'Cloud Functions sets it.',
  ),
  PUBSUB_EMULATOR_HOST: platform('Address of a Pub/Sub emulator.', 'A deployment has Pub/Sub.'),
};

export type VariableName = keyof typeof variables;

export const namedVariables = Object.entries<Setting>(variables) as [VariableName, Setting][];

export const secretVariables = namedVariables.flatMap(([name, { secret }]) => (secret ? [name] : []));

/** Whether a problem is in a value that may contain passwords or tokens; `secrets` names such settings. */
export const isInSecret = ({ field }: Problem, secrets: readonly string[]): boolean =>
  secrets.includes(field) || /\.headers\b|\.secret$/.test(field);

/** The environment of the functions: the one contract between `infra`, `local` and `functions`. */
export type Environment = Texts<typeof variables>;
