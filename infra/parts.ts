import type * as pubsub from '@pulumi/gcp/pubsub/index.js';
import type * as pulumi from '@pulumi/pulumi';
import type { Build } from './build.ts';
import type { Database } from './database.ts';
import type { Iap } from './iap.ts';
import type { Identities } from './identities.ts';
import type { Settings } from './settings.ts';

/** The inputs of the functions of a deployment. */
export type Parts = {
  readonly settings: Settings;
  readonly build: Build;
  readonly identities: Identities;
  /** Undefined: functions connect by URL. */
  readonly database: Database | undefined;
  /** Functions wait for these: they migrate the schema and grant its roles. */
  readonly migrations: readonly pulumi.Resource[];
  readonly topics: Readonly<Record<'capture' | 'continue', pubsub.Topic>>;
  /** Undefined: Cloud Run authenticates the users of the console. */
  readonly iap: Iap | undefined;
  /** Undefined: the archive is not exported. */
  readonly exportBucket: pulumi.Output<string> | undefined;
};
