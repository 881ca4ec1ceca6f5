import * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import { check } from '../shared/config/validate.ts';
import { readConfig } from '../shared/environment/config.ts';
import { isInSecret, type VariableName } from '../shared/environment/environment.ts';
import { ConfigError, type Problem } from '../shared/errors.ts';
import { checkProvider } from './check-program.ts';
import { findOverspending } from './connection-budget.ts';
import { findContradictions } from './find-contradictions.ts';
import { toVariables } from './function-plan.ts';
import { listTopics } from './grants.ts';
import { isKnown } from './setting-schemas.ts';
import { type KnownSettings, type Settings, SettingsSchema } from './settings.ts';
import { stackSettings } from './stack-settings.ts';
import { isWatchable } from './warnings.ts';

/** Stands for the value of an output in problems: it may be a secret. */
export const anOutput = '(an output)';
const plainRemedy =
  'Use a plain value: it decides which resources there are, how they are named, or how many connections they need.';

/** Validates settings and fills in the defaults. Throws a ConfigError with every problem. */
export function checkSettings(input: unknown): Settings {
  const { settings, problems } = inspectSettings(input);
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

/** Returns settings with the defaults, also in place of invalid ones, and every problem but those of outputs. */
function inspectSettings(input: unknown) {
  const checked = check(SettingsSchema, input);
  const invalid = checked.ok ? [] : checked.problems.map(explainOutput);
  const settings = checked.ok ? checked.value : withoutProblems(input, invalid);
  const found = invalid.map(settingIn);
  const further = isKnown(settings) ? findConflicts(settings as KnownSettings) : findOverspending(settings);
  const problems: readonly Problem[] = [
    ...checkProvider(),
    ...invalid,
    ...further.filter((problem) => !found.includes(settingIn(problem))),
  ];
  return { settings, problems };
}

function findConflicts(settings: KnownSettings): readonly Problem[] {
  return [...findRejections(settings), ...findContradictions(settings), ...findOverspending(settings)];
}

/** Of an output where none may be, the schema reports only that it is no text. */
function explainOutput(problem: Problem): Problem {
  return isKnown(problem.value) ? hideSecrets(problem) : { ...problem, value: anOutput, remedy: plainRemedy };
}

/** Replaces invalid settings by their defaults, so that the remaining checks can run in the same update. */
function withoutProblems(input: unknown, problems: readonly Problem[]): Settings {
  const wrong = problems.map(settingIn);
  const kept = Object.entries(Object(input)).filter(([name]) => !wrong.includes(name));
  const required = { project: 'some-project', deployer: 'user:someone@example.com' };
  return v.parse(SettingsSchema, { ...required, ...Object.fromEntries(kept) });
}

/** Replaces the values of settings that may contain passwords or tokens. */
function hideSecrets(problem: Problem): Problem {
  const isSecret = isInSecret(problem, secretNames) || settingIn(problem) === 'databaseUrls';
  return isSecret && problem.value !== undefined ? { ...problem, value: '(not shown)' } : problem;
}

/** Returns the name of the setting that a problem is in. */
function settingIn({ field }: Pick<Problem, 'field'>): string {
  return field.replace(/[.[].*/s, '');
}

/** Finds the problems that would keep a function from starting with the variables that it would get. */
function findRejections(settings: KnownSettings): readonly Problem[] {
  try {
    const variables = toVariables(settings) as Partial<Record<VariableName, string>>;
    readConfig({ ...variables, DATABASE_URL: 'postgres://anywhere' });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ field, value, remedy }) => {
      return { field: nameSettings(field), value, remedy: nameSettings(remedy) };
    });
  }
}

/** Replaces variables in a text by the settings that they come from. */
function nameSettings(text: string): string {
  const settingOf = new Map<string, string>(stackSettings.map((each) => [each.variable, each.name]));
  return text.replaceAll(/[A-Z][A-Z_]+/g, (variable) => settingOf.get(variable) ?? variable);
}

/** Throws a RunError, which Pulumi shows without a stack trace, in place of a ConfigError. */
export function orStop<Checked>(check: () => Checked): Checked {
  try {
    return check();
  } catch (error) {
    throw error instanceof ConfigError ? new pulumi.RunError(error.message) : error;
  }
}

/** The configuration of a stack as Pulumi has it: every value is a string, lists and objects are JSON. */
export type StackConfig = {
  /** Namespace of the Pulumi project. */
  readonly namespace: string;
  readonly values: Readonly<Record<string, string>>;
  /** Full keys of values that are encrypted in the stack file. */
  readonly secretKeys: readonly string[];
};

const secretNames = stackSettings.flatMap(({ name, setting }) => (setting.secret ? [name] : []));

/** Settings that must be encrypted in the stack file. */
const wholeSecrets = stackSettings.filter(({ setting }) => setting.secret === 'whole');
const secrets = [...wholeSecrets.map(({ name }) => name), 'databaseUrls'];

/** A source with a secret of its own. */
const SigningSchema = v.object({ reads: v.object({ secret: v.string() }) });

/** Reads the configuration of a stack. Throws a ConfigError with every problem. */
export function readSettings({ namespace, values, secretKeys }: StackConfig): KnownSettings {
  const prefix = `${namespace}:`;
  const own = Object.entries(values)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, text]) => [key.slice(prefix.length), text] as const);
  const given = Object.fromEntries(own.map(([name, text]) => [name, toValue(name, text)]));
  // Pulumi.yaml has these as the values of what is not set.
  const isSet = (name: string) => !['', '{}'].includes(values[prefix + name] ?? '');
  const signing = [given.sources].flat().flatMap((source, index) => {
    return v.is(SigningSchema, source) ? [`sources[${index}].reads.secret`] : [];
  });
  const isOpen = (field: string) => !secretKeys.includes(prefix + settingIn({ field }));
  const unencrypted = [...secrets.filter(isSet), ...signing].filter(isOpen).map((field) => {
    const remedy = `Encrypt it: pulumi config set --secret --path '${field}' ...`;
    return { field, value: '(not shown)', remedy };
  });
  const { settings, problems } = inspectSettings({ project: values['gcp:project'], ...given });
  if (problems.length + unencrypted.length > 0) throw new ConfigError([...problems, ...unencrypted]);
  return settings as KnownSettings;
}

/** Parses a value as JSON unless the setting is a string, which may look like a number. */
function toValue(name: string, text: string): unknown {
  const entry = Object.entries(SettingsSchema.entries).find(([each]) => each === name)?.[1];
  if (!entry) return text;
  const { type } = 'wrapped' in entry ? entry.wrapped : entry;
  if (['string', 'picklist', 'lazy'].includes(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The settings that decide which resources exist, and that may contain outputs. */
const decisive = {
  existingInstance: isWatchable,
  routes: (settings: Settings) => listTopics(settings).length,
};

/** Returns what is wrong with settings that were planned with outputs, once these are known; or nothing. */
export function explainKnown(planned: Settings, known: object): string {
  const { settings, problems } = inspectSettings(known);
  const unplanned = Object.entries(decisive).flatMap(([field, decide]): Problem[] =>
    decide(planned) === decide(settings) ? [] : [{ field, value: anOutput, remedy: plainRemedy }],
  );
  const given: Readonly<Record<string, unknown>> = planned;
  const hidden = problems.map((each) =>
    isKnown(given[settingIn(each)]) ? each : { ...each, value: anOutput },
  );
  const all = [...hidden, ...unplanned];
  return all.length > 0 ? new ConfigError(all).message : '';
}
