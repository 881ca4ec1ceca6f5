import * as pulumi from '@pulumi/pulumi';
import { ConfigError } from '../shared/errors.ts';

/** Returns what `read` returns. Throws invalid settings as a RunError, which Pulumi shows without a stack trace. */
export function stopOnInvalid<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigError ? new pulumi.RunError(error.message) : error;
  }
}
