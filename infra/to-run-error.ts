import * as pulumi from '@pulumi/pulumi';
import { ConfigError } from '../shared/errors.ts';

/**
 * Returns invalid settings as a RunError, which Pulumi shows without a stack trace, and any other error as it
 * is.
 */
export function toRunError(error: unknown): unknown {
  return error instanceof ConfigError ? new pulumi.RunError(error.message) : error;
}
