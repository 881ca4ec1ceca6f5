import * as v from 'valibot';
import type { Checked } from './validate.ts';
import { readSettings, type Texts, variable } from './variable.ts';

/** The path of the console, and its users. */
export type ConsoleConfig = {
  /** Path prefix, with a slash at the end. */
  readonly base: string;
  /** Addresses, or `*@example.com` for a domain, in lower case. */
  readonly operators: readonly string[];
  readonly viewers: readonly string[];
};

const addresses = (description: string) =>
  variable(
    { allowed: 'addresses or `*@DOMAIN`, separated by commas', description },
    v.pipe(
      v.optional(v.string(), ''),
      v.transform((text) => text.split(',').map((name) => name.trim().toLowerCase())),
      v.transform((list) => list.filter((name) => name !== '')),
      v.array(
        v.pipe(
          v.string(),
          v.regex(
            /^(\*@|[^*\s@]+@?)[^*\s@]*$/,
            'Use an address, ada@example.com, or a domain, *@example.com.',
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
  CONSOLE_OPERATORS: addresses(
    'Users who may read the console and the API and act in them, beside the caller that LOCAL_CALLER names.',
  ),
  CONSOLE_VIEWERS: addresses('Users who may only read the console and the API.'),
});

/** Reads the path of the console and the lists of its users. */
export function readConsole(env: Texts<typeof ConsoleSchema.entries>): Checked<ConsoleConfig> {
  const checked = readSettings(ConsoleSchema, env);
  if (!checked.ok) return checked;
  const { consolePath: base, consoleOperators: operators, consoleViewers: viewers } = checked.value;
  return { ok: true, value: { base, operators, viewers } };
}
