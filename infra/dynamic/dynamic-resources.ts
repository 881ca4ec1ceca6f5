import type * as pulumi from '@pulumi/pulumi';
import type { MigrationsInputs } from '../migrate/apply-schema.ts';
import type { OriginInputs } from '../origin/keep-origin.ts';
import type { PropagationInputs } from '../propagation/await-propagation.ts';
import type { BuildAttemptsInputs } from '../rollout/count-attempts.ts';
import type { RolloutInputs } from '../rollout/verify-rollout.ts';
import { dynamicResource } from './dynamic-resource.ts';

/** What can be set only at creation. Everything waits for it: a change is refused before anything is made. */
export class Origin extends dynamicResource<OriginInputs>('Origin') {}

/**
 * A database on Cloud SQL with its logins and its schema. Database and logins that exist are adopted, which
 * the provider's own resources cannot do, and kept when it is removed. Resources that need the schema must
 * depend on it: a failed migration ends the update.
 */
export class Migrations extends dynamicResource<MigrationsInputs>('Migrations') {}

/**
 * Waits until new grants are effective: Google Cloud confirms a grant minutes before each of its services
 * knows it, and does not report when they do. Unchanged grants are not waited for.
 */
export class Propagation extends dynamicResource<PropagationInputs>('Propagation') {}

/**
 * Counts the attempts to build each function. After a failed update Pulumi's state has the values that were
 * wanted, so that the next update finds no difference and builds nothing. This resource compares what serves,
 * in every update, and a new attempt is a difference that the function is built for.
 */
export class BuildAttempts extends dynamicResource<BuildAttemptsInputs>('BuildAttempts') {
  /** The number of the attempt by service, as text. */
  declare readonly attempts: pulumi.Output<Readonly<Record<string, string>>>;
}

/**
 * Fails the update unless every function serves what the update deployed, to those who may call it: each
 * preview and update fails while everyone may call console and API.
 */
export class Rollout extends dynamicResource<RolloutInputs>('Rollout') {}
