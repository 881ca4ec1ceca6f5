import * as v from 'valibot';
import type { Checked } from './validate.ts';
import { readSettings, type Texts, variable } from './variable.ts';

/** Path below the console that Identity-Aware Proxy opens for operators only. */
export const operatorPath = 'operator/';

/** The path of the console, and its users. */
export type ConsoleConfig = {
  /** Path prefix, with a slash at the end. */
  readonly base: string;
  /** Shown on every page; empty: none. */
  readonly environment: string;
  /** Addresses, `*@example.com` for a domain, or `*` for whom IAP admits, in lower case. */
  readonly operators: readonly string[];
  readonly viewers: readonly string[];
};

const addresses = (description: string) =>
  variable(
    { allowed: 'addresses, `*@DOMAIN` or `*`, separated by commas', description },
    v.pipe(
      v.optional(v.string(), ''),
      v.transform((text) => text.split(',').map((name) => name.trim().toLowerCase())),
      v.transform((list) => list.filter((name) => name !== '')),
      v.array(
        v.pipe(
          v.string(),
          v.regex(
            /^(\*|(\*@|[^*\s@]+@?)[^*\s@]*)$/,
            'Use an address, ada@example.com, a domain, *@example.com, or * for whom IAP admits.',
          ),
        ),
      ),
    ),
  );

export const ConsoleSchema = v.object({
  CONSOLE_PATH: variable(
    { default: '/', allowed: 'path', description: 'Path prefix of the console.' },
    v.pipe(
      v.optional(v.string(), '/'),
      v.regex(/^\/([\w.~-]+(\/[\w.~-]+)*\/?)?$/, 'Must be a path such as / or /console.'),
      v.transform((path) => path.replace(/\/?$/, '/')),
    ),
  ),
  ENVIRONMENT_NAME: variable(
    {
      allowed: 'up to 40 characters',
      description:
        'Name of the environment that each page of the console shows, such as `production`; a deployment uses the name of its stack.',
    },
    v.pipe(v.optional(v.string(), ''), v.trim(), v.maxLength(40, 'Use at most 40 characters.')),
  ),
  CONSOLE_OPERATORS: addresses(
    'Users who may read the console and the API and act in them, beside the caller that LOCAL_CALLER names; `*`: every user that Identity-Aware Proxy admits below `operator/`.',
  ),
  CONSOLE_VIEWERS: addresses(
    'Users who may only read the console and the API; `*`: every user that Identity-Aware Proxy admits.',
  ),
});

/** Reads the path of the console and the lists of its users. */
export function readConsole(env: Texts<typeof ConsoleSchema.entries>): Checked<ConsoleConfig> {
  const checked = readSettings(ConsoleSchema, env);
  if (!checked.ok) return checked;
  const { consolePath: base, environmentName: environment, ...users } = checked.value;
  const { consoleOperators: operators, consoleViewers: viewers } = users;
  return { ok: true, value: { base, environment, operators, viewers } };
}
