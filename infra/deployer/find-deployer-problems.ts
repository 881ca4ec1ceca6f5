import type { AuthClient } from 'google-auth-library';
import { type CredentialSource, openCredentials } from '../../migrations/credentials.ts';
import type { Problem } from '../../shared/errors.ts';
import { apis } from '../apis.ts';
import { type Ask, askWith } from '../google-api.ts';
import { findEmail } from './find-email.ts';
import {
  apiPermission,
  apiRole,
  databasePermissions,
  iapPermissions,
  requiredPermissions,
} from './required-permissions.ts';

export type Deployment = {
  /** Undefined if the setting is invalid. */
  readonly project: string | undefined;
  /** Undefined if the deployer does not log in to a database, or if the setting is invalid. */
  readonly deployer: string | undefined;
  /** Project of the database instance; undefined if the database is not on Cloud SQL. */
  readonly databaseProject: string | undefined;
  /** Whether users open the console through Identity-Aware Proxy. */
  readonly iap: boolean;
};

export type Findings = {
  readonly problems: readonly Problem[];
  /** Checks that were not possible, each with the reason. */
  readonly unchecked: readonly string[];
};

/**
 * Checks that the credentials are those of the deployer, and that it may create what a deployment consists
 * of, before the first resource is created.
 */
export async function findDeployerProblems(
  deployment: Deployment,
  source: CredentialSource,
): Promise<Findings> {
  let client: AuthClient;
  try {
    client = await openCredentials(source);
    await client.getAccessToken();
  } catch (error) {
    return { problems: [reportMissingCredentials(error)], unchecked: [] };
  }
  const ask = askWith(client);
  const { project, databaseProject } = deployment;
  const checks = [
    checkAccount(client, deployment.deployer),
    project ? checkRoles(ask, project, requiredPermissions) : none,
    project && deployment.iap ? checkRoles(ask, project, iapPermissions) : none,
    project ? checkApis(ask, project) : none,
    databaseProject ? checkRoles(ask, databaseProject, databasePermissions) : none,
  ];
  const found = await Promise.all(checks);
  return {
    problems: found.flatMap(({ problems }) => problems),
    unchecked: [...new Set(found.flatMap(({ unchecked }) => unchecked))],
  };
}

const none: Findings = { problems: [], unchecked: [] };
const report = (field: string, value: unknown, remedy: string): Findings => ({
  problems: [{ field, value, remedy }],
  unchecked: [],
});

function reportMissingCredentials(error: unknown): Problem {
  const reason = describe(error);
  const remedy =
    `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Log in with \`gcloud auth application-default login\`, or set ` +
    'GOOGLE_CREDENTIALS, GOOGLE_OAUTH_ACCESS_TOKEN or gcp:credentials.';
  return { field: 'Google credentials', value: undefined, remedy };
}

async function checkAccount(client: AuthClient, deployer: string | undefined): Promise<Findings> {
  if (deployer === undefined) return none;
  try {
    const email = await findEmail(client);
    if (email === undefined) {
      return {
        ...none,
        unchecked: [`Google does not report whether the credentials are those of ${deployer}.`],
      };
    }
    if (deployer.replace(/^\w+:/, '') === email) return none;
    const kind = email.endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
    return report(
      'deployer',
      deployer,
      `The credentials are those of ${email}, which cannot log in to the database as this account. Use its credentials, ` +
        `or: pulumi config set deployer ${kind}:${email}`,
    );
  } catch (error) {
    const { status } = error as { readonly status?: number };
    if (status === 400 || status === 401) return { ...none, problems: [reportMissingCredentials(error)] };
    return { ...none, unchecked: [`Whose the credentials are was not checked: ${describe(error)}`] };
  }
}

async function checkRoles(
  ask: Ask,
  project: string,
  required: Readonly<Record<string, string>>,
): Promise<Findings> {
  return await orUnchecked(project, async () => {
    const granted = await testPermissions(ask, project, Object.values(required));
    const missing = Object.entries(required).filter(([, permission]) => !granted.includes(permission));
    if (missing.length === 0) return none;
    const roles = missing.map(([role, permission]) => `${role} (${permission})`).join(', ');
    return report('project', project, `The deployer lacks ${roles}. Grant them, or roles/owner.`);
  });
}

async function checkApis(ask: Ask, project: string): Promise<Findings> {
  return await orUnchecked(project, async () => {
    if ((await testPermissions(ask, project, [apiPermission])).length > 0) return none;
    const names = apis.map((api) => `names=projects/${project}/services/${api}`).join('&');
    const { services = [] } =
      (await ask<{ services?: readonly { readonly name: string; readonly state: string }[] }>(
        `https://serviceusage.googleapis.com/v1/projects/${project}/services:batchGet?${names}`,
      )) ?? {};
    const enabled = services
      .filter(({ state }) => state === 'ENABLED')
      .map(({ name }) => name.split('/').at(-1));
    const missing = apis.filter((api) => !enabled.includes(api));
    if (missing.length === 0) return none;
    return report(
      'project',
      project,
      `The deployer may not enable ${missing.join(', ')}. Enable them, or grant ${apiRole} (${apiPermission}).`,
    );
  });
}

async function testPermissions(
  ask: Ask,
  project: string,
  permissions: readonly string[],
): Promise<readonly string[]> {
  const url = `https://cloudresourcemanager.googleapis.com/v1/projects/${project}:testIamPermissions`;
  const answer = await ask<{ permissions?: readonly string[] }>(url, {
    method: 'POST',
    data: { permissions },
  });
  if (answer === undefined) throw new Error('cloudresourcemanager.googleapis.com answered 404');
  return answer.permissions ?? [];
}

/** In a new project the API that answers may not be enabled yet. */
async function orUnchecked(project: string, check: () => Promise<Findings>): Promise<Findings> {
  try {
    return await check();
  } catch (error) {
    return { ...none, unchecked: [`The permissions on ${project} were not checked: ${describe(error)}`] };
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
