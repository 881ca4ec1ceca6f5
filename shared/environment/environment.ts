import { callerSettings } from '../config/callers.ts';
import { consoleSettings } from '../config/console.ts';
import { databaseLocationSettings, poolSettings } from '../config/database.ts';
import { limitSettings } from '../config/limits.ts';
import { retentionSettings } from '../config/retention.ts';
import { retrySettings } from '../config/retry.ts';
import { defineText, functionNames, type Texts } from '../config/setting.ts';
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
  PUBSUB_EMULATOR_HOST: platform(
    'Address of a Pub/Sub emulator, for development.',
    'A deployment has Pub/Sub.',
  ),
};

export type VariableName = keyof typeof variables;

/** The environment of the functions: the one contract between `infra`, `local` and `functions`. */
export type Environment = Texts<typeof variables>;
