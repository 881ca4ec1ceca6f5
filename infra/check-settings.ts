import * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import { check } from '../shared/config/validate.ts';
import { readConfig } from '../shared/environment/config.ts';
import { ConfigError, type Problem } from '../shared/errors.ts';
import { checkProvider, findOutputs } from './check-program.ts';
import { findOverspending } from './connection-budget.ts';
import { findContradictions } from './find-contradictions.ts';
import { toVariables } from './function-variables.ts';
import { type Settings, SettingsSchema } from './settings.ts';
import { stackSettings } from './stack-settings.ts';

/** Validates settings and fills in the defaults. Throws a ConfigError with every problem. */
export function checkSettings(input: unknown): Settings {
  const outputs = findOutputs(input);
  if (outputs.length > 0) throw new ConfigError(outputs);
  const checked = check(SettingsSchema, input);
  const invalid = checked.ok ? [] : checked.problems.map(hideSecrets);
  const settings = checked.ok ? checked.value : withoutProblems(input, invalid);
  const found = invalid.map(settingIn);
  const further = [
    ...findRejections(settings),
    ...findContradictions(settings),
    ...findOverspending(settings),
  ];
  const problems = [
    ...checkProvider(),
    ...invalid,
    ...further.filter((problem) => !found.includes(settingIn(problem))),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
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

function settingIn({ field }: Problem): string {
  return field.replace(/[.[].*/s, '');
}

/**
 * Finds the problems that would keep a function from starting: readConfig checks the variables that it would
 * get.
 */
function findRejections(settings: Settings): readonly Problem[] {
  try {
    readConfig({ ...toVariables(settings), DATABASE_URL: 'postgres://anywhere' });
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

/** Returns invalid settings as a RunError, which Pulumi shows without a stack trace; other errors as they are. */
export function toRunError(error: unknown): unknown {
  return error instanceof ConfigError ? new pulumi.RunError(error.message) : error;
}
