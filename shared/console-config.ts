import * as v from 'valibot';
import { type Checked, check } from './validate.ts';

/** Where the console is, and who may use it. Nobody may who is not named, but for the owner of the machine it runs on. */
export type ConsoleConfig = {
  /** The path under which it is reached, with a slash at the end. */
  readonly base: string;
  /** Who may look and act. Names as CallerConfig tells them, or `*@example.com` for all of a domain. */
  readonly operators: readonly string[];
  /** Who may only look. */
  readonly viewers: readonly string[];
};

const names = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split(',').map((name) => name.trim().toLowerCase())),
  v.transform((list) => list.filter((name) => name !== '')),
  v.array(
    v.pipe(
      v.string(),
      v.regex(
        /^(\*@|[^*\s@]+@?)[^*\s@]*$/,
        'Name people by address, ada@example.com, or a domain, *@example.com.',
      ),
    ),
  ),
);

const ConsoleSchema = v.object({
  CONSOLE_PATH: v.pipe(
    v.optional(v.string(), '/'),
    v.regex(/^\/([\w.~-]+(\/[\w.~-]+)*\/?)?$/, 'Must be a path such as / or /console.'),
    v.transform((path) => path.replace(/\/?$/, '/')),
  ),
  CONSOLE_OPERATORS: names,
  CONSOLE_VIEWERS: names,
});

type ConsoleEnvironment = v.InferInput<typeof ConsoleSchema>;

export function readConsole(env: ConsoleEnvironment): Checked<ConsoleConfig> {
  const checked = check(ConsoleSchema, env);
  if (!checked.ok) return checked;
  const { CONSOLE_PATH: base, CONSOLE_OPERATORS: operators, CONSOLE_VIEWERS: viewers } = checked.value;
  return { ok: true, value: { base, operators, viewers } };
}
