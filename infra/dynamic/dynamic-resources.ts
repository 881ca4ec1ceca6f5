import type { OriginInputs } from '../keep-origin.ts';
import type { BuildAttemptsInputs } from '../rollout/count-attempts.ts';
import type { RolloutInputs } from '../rollout/verify-rollout.ts';
import type { MigrationsInputs } from './apply-schema.ts';
import type { PropagationInputs } from './await-propagation.ts';
import { dynamicResource } from './dynamic-resource.ts';

/** Settings of creation alone. Everything waits for it: a change is refused before anything is made. */
export const Origin = dynamicResource<OriginInputs>('Origin');

/** A database on Cloud SQL with its logins and its schema. Resources that need the schema depend on it. */
export const Migrations = dynamicResource<MigrationsInputs>('Migrations');

/** Time for new grants to become effective. */
export const Propagation = dynamicResource<PropagationInputs>('Propagation');

/** The number of the attempt to build each function, as text, by service. */
export const BuildAttempts = dynamicResource<BuildAttemptsInputs, 'attempts'>('BuildAttempts');

/** The last one of an update: functions serve what was deployed, to those who may call them. */
export const Rollout = dynamicResource<RolloutInputs>('Rollout');
