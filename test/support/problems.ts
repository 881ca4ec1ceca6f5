import { readConfig } from '../../shared/environment/config.ts';
import type { Environment } from '../../shared/environment/environment.ts';
import { ConfigError } from '../../shared/errors.ts';

/** The error that an environment is refused with. Fails where it is accepted. */
export function refusalOf(env: Environment): ConfigError {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('This configuration was accepted.');
}
