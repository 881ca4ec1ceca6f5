import * as v from 'valibot';
import { readConfig } from '../shared/config.ts';
import { ConfigError, type Problem } from '../shared/errors.ts';
import { check } from '../shared/validate.ts';
import { findOverspending } from './connection-budget.ts';
import { planFunctions, tickSeconds } from './function-plan.ts';
import { toVariables } from './office-variables.ts';
import { type Settings, SettingsSchema } from './settings.ts';

/** What settings leave out is filled in; throws a ConfigError with everything that is wrong with them. */
export function checkSettings(input: unknown): Settings {
  const checked = check(SettingsSchema, input);
  const obvious = checked.ok ? [] : checked.problems.map(hideSecrets);
  const settings = checked.ok ? checked.value : withoutProblems(input, obvious);
  const found = obvious.map(settingIn);
  const further = [...findRefusals(settings), ...findContradictions(settings), ...findOverspending(settings)];
  const problems = [...obvious, ...further.filter((problem) => !found.includes(settingIn(problem)))];
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

/** What is left when everything that is wrong has its default, to find what is wrong beside it. */
function withoutProblems(input: unknown, problems: readonly Problem[]): Settings {
  const wrong = problems.map(settingIn);
  const kept = Object.entries(Object(input)).filter(([name]) => !wrong.includes(name));
  const required = { project: 'some-project', deployer: 'user:somebody' };
  return v.parse(SettingsSchema, { ...required, ...Object.fromEntries(kept) });
}

/** Passwords and tokens may be in these, wherever they do not belong. */
function hideSecrets(problem: Problem): Problem {
  const isSecret = ['routes', 'databaseUrls', 'captureSecrets'].includes(settingIn(problem));
  return isSecret && problem.value !== undefined ? { ...problem, value: '(not shown)' } : problem;
}

function settingIn({ field }: Problem): string {
  return field.replace(/[.[].*/s, '');
}

const settingOf: Readonly<Record<string, keyof Settings>> = {
  BATCH_SIZE: 'batchSize',
  MAX_RETRIES: 'maxRetries',
  MAX_RETURNS: 'maxReturns',
  MAX_EVENTS_PER_TICK: 'maxEventsPerTick',
  LEASE_SECONDS: 'leaseSeconds',
  ARCHIVE_AFTER_DAYS: 'archiveAfterDays',
  SOURCE_RETENTION_DAYS: 'sourceRetentionDays',
  RETAIN_MONTHS: 'retainMonths',
  EXPORT_BUCKET: 'exportBucket',
  OPEN_WARN_DAYS: 'openWarnDays',
  FILTER_COST_LIMIT: 'filterCostLimit',
  ROUTES: 'routes',
  CAPTURE_SECRETS: 'captureSecrets',
  CONSOLE_OPERATORS: 'operators',
  CONSOLE_VIEWERS: 'viewers',
};

/** What would keep a function from starting keeps it from being deployed: the same code reads the same variables. */
function findRefusals(settings: Settings): readonly Problem[] {
  try {
    readConfig({ ...toVariables(settings), DATABASE_URL: 'postgres://anywhere' });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => ({
      ...problem,
      field: problem.field.replace(/^\w+/, (variable) => settingOf[variable] ?? variable),
    }));
  }
}

/** Settings that are right each by itself and wrong together. */
function findContradictions(settings: Settings): readonly Problem[] {
  const {
    existingInstance,
    databaseUrls,
    maxConnections,
    privateNetwork,
    privateSubnetwork,
    leaseSeconds,
    exportArchive,
    exportBucket,
    sources,
    operators,
    viewers,
  } = settings;
  const hasUrls = Object.keys(databaseUrls).length > 0;
  const names = sources.map(({ name }) => name);
  const wrong = (isWrong: boolean, field: string, value: unknown, remedy: string): Problem[] =>
    isWrong ? [{ field, value, remedy }] : [];
  return [
    ...wrong(
      (existingInstance !== '' || hasUrls) && maxConnections === 0,
      'maxConnections',
      undefined,
      'Say how many of the connections of the database that exists already the office may count on.',
    ),
    ...wrong(
      existingInstance !== '' && hasUrls,
      'databaseUrls',
      '(set, not shown)',
      'Set either existingInstance or databaseUrls, not both.',
    ),
    ...wrong(
      (privateNetwork === '') !== (privateSubnetwork === ''),
      privateNetwork ? 'privateSubnetwork' : 'privateNetwork',
      undefined,
      'A private network needs both: the network, and the subnetwork that functions get addresses from.',
    ),
    ...wrong(
      leaseSeconds > tickSeconds / 2,
      'leaseSeconds',
      leaseSeconds,
      `Use ${tickSeconds / 2} at most: a tick has ${tickSeconds} in all, and finishes what it has begun.`,
    ),
    ...wrong(
      exportBucket !== '' && !exportArchive,
      'exportArchive',
      false,
      'Set it to true, or leave exportBucket empty: nothing would be written there.',
    ),
    ...names.flatMap((name, index) =>
      wrong(names.indexOf(name) < index, `sources[${index}].name`, name, 'Another source has this name.'),
    ),
    ...viewers.flatMap((viewer, index) =>
      wrong(
        operators.includes(viewer),
        `viewers[${index}]`,
        viewer,
        'Is an operator already: take it out of one list.',
      ),
    ),
    ...(hasUrls ? findUrlProblems(settings) : []),
  ];
}

/** Each function logs in as itself, so that each needs a URL of its own. */
function findUrlProblems(settings: Settings): readonly Problem[] {
  const names = planFunctions(settings).map(({ name }) => String(name));
  const missing = names
    .filter((name) => !settings.databaseUrls[name])
    .map((name) => ({
      field: `databaseUrls.${name}`,
      value: undefined,
      remedy: 'Add the URL for its login.',
    }));
  const unknown = Object.keys(settings.databaseUrls)
    .filter((name) => ![...names, 'migrate'].includes(name))
    .map((name) => ({
      field: `databaseUrls.${name}`,
      value: '(not shown)',
      remedy: `Nobody of this name: use ${names.join(', ')}, or migrate.`,
    }));
  const wrong = Object.entries(settings.databaseUrls)
    .filter(([, url]) => !/^postgres(ql)?:\/\//.test(url))
    .map(([name]) => ({
      field: `databaseUrls.${name}`,
      value: '(not shown)',
      remedy: 'Must start with postgres:// or postgresql://.',
    }));
  return [...missing, ...unknown, ...wrong];
}
