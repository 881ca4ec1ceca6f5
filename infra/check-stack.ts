import { selectCredentials } from '../migrations/credentials.ts';
import { ConfigError, type Problem } from '../shared/errors.ts';
import { projectOf } from './connection-name.ts';
import { type Deployment, findDeployerProblems } from './deployer/find-deployer-problems.ts';
import { readSettings, type StackConfig } from './read-settings.ts';
import type { Settings } from './settings.ts';

export type CheckedStack = { readonly settings: Settings; readonly warnings: readonly string[] };

/**
 * Reads the settings of a stack, and checks them and the deployer. Throws a ConfigError with every problem. A
 * preview may run without the credentials of the deployer: problems with those alone are warnings then.
 */
export async function checkStack(stack: StackConfig, isPreview: boolean): Promise<CheckedStack> {
  const credentials = selectCredentials(process.env, (key) => stack.values[key]);
  const read = tryReadSettings(stack);
  const found = await findDeployerProblems(toDeployment(stack, read), credentials);
  if (!('settings' in read)) throw new ConfigError([...read.problems, ...found.problems]);
  if (found.problems.length > 0 && !isPreview) throw new ConfigError(found.problems);
  const refused = found.problems.map(
    ({ field, value, remedy }) =>
      `The update will be refused: ${field}${value ? ` ${value}` : ''}: ${remedy}`,
  );
  return { settings: read.settings, warnings: [...refused, ...found.unchecked] };
}

type Read = { readonly settings: Settings } | { readonly problems: readonly Problem[] };

function tryReadSettings(stack: StackConfig): Read {
  try {
    return { settings: readSettings(stack) };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

/** Of invalid settings, the valid ones among project and deployer are checked in the same run. */
function toDeployment({ namespace, values }: StackConfig, read: Read): Deployment {
  if ('settings' in read) {
    const { project, deployer, databaseUrls, existingInstance, iap } = read.settings;
    const isOnCloudSql = Object.keys(databaseUrls).length === 0;
    return {
      project,
      deployer: isOnCloudSql ? deployer : undefined,
      databaseProject: isOnCloudSql ? (existingInstance ? projectOf(existingInstance) : project) : undefined,
      iap,
    };
  }
  const valid = (field: string, key: string) =>
    read.problems.some((problem) => problem.field === field) ? undefined : values[key];
  const isOnCloudSql = !values[`${namespace}:databaseUrls`]?.includes('://');
  return {
    project: valid('project', 'gcp:project'),
    deployer: isOnCloudSql ? valid('deployer', `${namespace}:deployer`) : undefined,
    databaseProject: undefined,
    iap: false,
  };
}
