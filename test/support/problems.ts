import { readConfig } from '../../shared/environment/config.ts';
import type { Environment } from '../../shared/environment/environment.ts';
import { ConfigError } from '../../shared/errors.ts';

/** The error that an environment is refused with. Fails where it is accepted. */
export function refusalOf(env: Environment): ConfigError {
  return refusalBy(() => readConfig(env));
}

/** The error with which a reader refuses a configuration. Fails where it accepts it. */
export function refusalBy(read: () => unknown): ConfigError {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('This configuration was accepted.');
}
