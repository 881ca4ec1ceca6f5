import * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import { check } from '../shared/config/validate.ts';
import { readConfig } from '../shared/environment/config.ts';
import type { VariableName } from '../shared/environment/environment.ts';
import { ConfigError, type Problem } from '../shared/errors.ts';
import { checkProvider } from './check-program.ts';
import { findOverspending } from './connection-budget.ts';
import { findContradictions } from './find-contradictions.ts';
import { toVariables } from './function-variables.ts';
import { isKnown } from './setting-schemas.ts';
import { type KnownSettings, type Settings, SettingsSchema } from './settings.ts';
import { stackSettings } from './stack-settings.ts';

/** Stands for the value of an output in problems: it may be a secret. */
export const anOutput = '(an output)';
export const plainRemedy =
  'Use a plain value: it decides which resources there are, how they are named, or how many connections they need.';

/** Validates settings and fills in the defaults. Throws a ConfigError with every problem. */
export function checkSettings(input: unknown): Settings {
  const { settings, problems } = inspectSettings(input);
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

/** Returns settings with the defaults, also in place of invalid ones, and every problem but those of outputs. */
export function inspectSettings(input: unknown) {
  const checked = check(SettingsSchema, input);
  const invalid = checked.ok ? [] : checked.problems.map(explainOutput).map(hideSecrets);
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
  return isKnown(problem.value) ? problem : { ...problem, value: anOutput, remedy: plainRemedy };
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
  const isSecret = ['routes', 'databaseUrls', 'captureSecrets'].includes(settingIn(problem));
  return isSecret && problem.value !== undefined ? { ...problem, value: '(not shown)' } : problem;
}

/** Returns the name of the setting that a problem is in. */
export function settingIn({ field }: Problem): string {
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
    return error.problems.map((problem) => ({ ...problem, field: nameSetting(problem.field) }));
  }
}

/** Replaces the variable at the start of a field by the setting that it comes from. */
function nameSetting(field: string): string {
  const settingOf = new Map<string, string>(stackSettings.map((each) => [each.variable, each.name]));
  return field.replace(/^\w+/, (variable) => settingOf.get(variable) ?? variable);
}

/** Throws a RunError, which Pulumi shows without a stack trace, in place of a ConfigError. */
export function orStop<Checked>(check: () => Checked): Checked {
  try {
    return check();
  } catch (error) {
    throw error instanceof ConfigError ? new pulumi.RunError(error.message) : error;
  }
}
