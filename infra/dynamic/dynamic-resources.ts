import type * as pulumi from '@pulumi/pulumi';
import type { PrivateServiceInputs } from '../access/check-access.ts';
import type { SqlDatabaseInputs } from '../cloud-sql/adopt-database.ts';
import type { SqlUserInputs } from '../cloud-sql/adopt-user.ts';
import type { MigrationsInputs } from '../migrate/apply-schema.ts';
import type { PropagationInputs } from '../propagation/await-propagation.ts';
import type { BuildAttemptInputs } from '../rollout/count-attempts.ts';
import type { RolloutInputs } from '../rollout/verify-rollout.ts';
import { dynamicResource } from './dynamic-resource.ts';

/**
 * A service of Cloud Run that only named members may call: each preview and update fails while everyone may.
 * It also switches Identity-Aware Proxy, for which Cloud Functions has no setting, and again after an update
 * that switched it off.
 */
export class PrivateService extends dynamicResource<PrivateServiceInputs>('PrivateService') {}

/**
 * A database on an instance of Cloud SQL. One that exists is adopted, as after a removal, which keeps it with
 * its events: the provider's own resource fails in that case.
 */
export class SqlDatabase extends dynamicResource<SqlDatabaseInputs>('SqlDatabase') {
  declare readonly database: pulumi.Output<string>;
}

/**
 * An IAM login of an instance of Cloud SQL. One that exists is adopted: the login of a former deployer, or of
 * one that has another deployment on the instance. It is kept when it is removed, since PostgreSQL does not
 * drop a user with privileges.
 */
export class SqlUser extends dynamicResource<SqlUserInputs>('SqlUser') {
  declare readonly user: pulumi.Output<string>;
}

/** The schema of a database. Resources that need it must depend on it: a failed migration ends the update. */
export class Migrations extends dynamicResource<MigrationsInputs>('Migrations') {}

/**
 * Waits until new grants are effective: Google Cloud confirms a grant minutes before each of its services
 * knows it, and does not report when they do. Unchanged grants are not waited for.
 */
export class Propagation extends dynamicResource<PropagationInputs>('Propagation') {}

/**
 * Counts the attempts to build a function. After a failed update Pulumi's state has the values that were
 * wanted, so that the next update finds no difference and builds nothing. This resource compares what serves,
 * in every update, and a new attempt is a difference that the function is built for.
 */
export class BuildAttempt extends dynamicResource<BuildAttemptInputs>('BuildAttempt') {
  /** The number of the attempt, as text. */
  declare readonly attempt: pulumi.Output<string>;
}

/** Fails the update unless every function serves what the update deployed. */
export class Rollout extends dynamicResource<RolloutInputs>('Rollout') {}
