import * as v from 'valibot';
import { CallerSchema } from './callers.ts';
import { CaptureSecretsSchema } from './capture-secrets.ts';
import { ConsoleSchema } from './console.ts';
import { PoolSchema } from './database.ts';
import { DatabaseLocationSchema } from './database-location.ts';
import { LimitsSchema } from './limits.ts';
import { RetentionSchema } from './retention.ts';
import { RetrySchema } from './retry.ts';
import { RoutesSchema } from './routes.ts';
import { SourcesSchema } from './sources.ts';
import { type Texts, variable } from './variable.ts';

const platform = (description: string) =>
  variable({ allowed: 'set by the platform', description }, v.optional(v.string()));

/** Every environment variable of the functions, with its default, its allowed values and its description. */
export const variables = {
  ...DatabaseLocationSchema.entries,
  ...PoolSchema.entries,
  ...RoutesSchema.entries,
  ...RetrySchema.entries,
  ...RetentionSchema.entries,
  ...CaptureSecretsSchema.entries,
  ...SourcesSchema.entries,
  ...ConsoleSchema.entries,
  ...LimitsSchema.entries,
  ...CallerSchema.entries,
  GOOGLE_CLOUD_PROJECT: platform('Project that log lines name in their trace; set by the deployment.'),
  K_SERVICE: platform('Name of the service; set by Cloud Run.'),
  FUNCTION_TARGET: platform('Function to serve; set by Cloud Functions and by `functions-framework`.'),
  PUBSUB_EMULATOR_HOST: platform('Address of a Pub/Sub emulator; set by `npm start`.'),
};

export type VariableName = keyof typeof variables;

/** The environment of the functions: the one contract between `infra`, `local` and `functions`. */
export type Environment = Texts<typeof variables>;
