import * as secretmanager from '@pulumi/gcp/secretmanager/index.js';
import * as pulumi from '@pulumi/pulumi';
import { secretVariables } from '../shared/environment/environment.ts';
import type { Account } from './account.ts';
import { configureFunction, makeFunction, makeSecret } from './cloud-function.ts';
import { BuildAttempts, Propagation } from './dynamic/dynamic-resources.ts';
import { type FunctionName, type FunctionPlan, toVariables } from './function-plan.ts';
import type { Parts } from './parts.ts';

/** The inputs of the callers of functions. */
export type CallersArgs = Parts & { readonly functions: ReturnType<typeof makeFunctions> };

/** Makes every function of the plan, and the secrets that they share. */
export function makeFunctions(parts: Parts) {
  const { settings, make, build, identities, migrations } = parts;
  const secretive = makeSecrets(parts);
  const configs = secretive.map(({ plan, identity, secrets }) => {
    const variables = pickPlain(plan, listVariables({ plan, identity }, parts));
    return configureFunction({ ...parts, plan, identity, variables, secrets });
  });
  // Each by itself: a preview that does not know one of them plans nothing for the other functions.
  const deployments = Object.fromEntries(configs.map(({ plan, hash }) => [plan.name, hash]));
  const built = { prefix: nameService(parts, ''), deployments };
  const { attempts } = make(BuildAttempts, 'functions-builds', built, { dependsOn: migrations });
  const grants = [...build.grants, ...secretive.flatMap((each) => each.grants)];
  const accounts = [build.account, ...identities.functions.map(({ account }) => account)];
  const propagation = make(Propagation, 'functions-propagation', {
    grants: pulumi.all([...grants.map(({ id }) => id), ...accounts.map(({ uniqueId }) => uniqueId)]),
    seconds: settings.grantDelaySeconds,
  });
  const options = { ...build.options, dependsOn: [...grants, propagation, ...migrations] };
  const all = configs.map((config) => {
    const attempt = attempts.apply((known) => known[config.plan.name] ?? '1');
    return makeFunction(parts, { ...config, attempt, options });
  });
  return {
    all,
    /** URLs by function name. */
    urls: Object.fromEntries(all.map(({ plan, url }) => [plan.name, url])),
    /** Throws if the plan has no function of this name. */
    get: (wanted: FunctionName) => {
      const found = all.find(({ plan }) => plan.name === wanted);
      if (!found) throw new Error(`The plan has no function ${wanted}.`);
      return found;
    },
  };
}

/** Makes the secrets of each function with the grants to read them, without which it does not start. */
function makeSecrets(parts: Parts) {
  const { settings, make, identities, database } = parts;
  const values = toVariables(settings);
  const hide = (what: string, value: pulumi.Input<string>) => makeSecret(parts, slugOfVariable(what), value);
  const shared = secretVariables.flatMap((variable) => {
    const value = values[variable];
    const isRead = identities.functions.some(({ plan }) => plan.variables.includes(variable));
    return value && isRead ? [[variable, hide(variable, value)] as const] : [];
  });
  return identities.functions.map(({ plan, account: identity }) => {
    const secrets = Object.fromEntries(shared.filter(([variable]) => plan.variables.includes(variable)));
    if (!database) {
      secrets.DATABASE_URL = hide(`${plan.name}-database`, settings.databaseUrls[plan.name] ?? '');
    }
    const grants = Object.entries(secrets).map(([variable, { secretId }]) => {
      const args = { secretId, role: 'roles/secretmanager.secretAccessor', member: identity.member };
      return make(secretmanager.SecretIamMember, `${plan.name}-reads-${slugOfVariable(variable)}`, args);
    });
    return { plan, identity, secrets, grants };
  });
}

function listVariables(
  { plan, identity: { email } }: { readonly plan: FunctionPlan; readonly identity: Account },
  parts: Parts,
): Readonly<Record<string, pulumi.Input<string>>> {
  const { settings, topics, exportBucket, iap, database } = parts;
  return {
    ...toVariables(settings),
    // Saves Google's libraries a request to the metadata server; log lines use it in their trace.
    GOOGLE_CLOUD_PROJECT: settings.project,
    DB_POOL_MAX: String(plan.pool),
    ...(database && {
      INSTANCE_CONNECTION_NAME: database.connectionName,
      DB_NAME: database.databaseName,
      DB_USER: email.apply((known) => known.replace(/\.gserviceaccount\.com$/, '')),
      DB_IP_TYPE: database.ipType,
    }),
    ENVIRONMENT_NAME: settings.environmentName || pulumi.getStack(),
    CONTINUE_TOPIC: topics.continue.id,
    EXPORT_BUCKET: exportBucket ?? '',
    CLOUD_RUN_IAM: nameService(parts, plan.name),
    IAP_AUDIENCE: iap?.audienceOf(`${settings.name}-${plan.name}`) ?? '',
  };
}

function nameService({ settings: { project, region, name: prefix } }: Parts, name: string) {
  return pulumi.interpolate`projects/${project}/locations/${region}/services/${prefix}-${name}`;
}

const slugOfVariable = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Selects the variables of a plan, without secret and empty ones. */
function pickPlain({ variables }: FunctionPlan, values: Readonly<Record<string, pulumi.Input<string>>>) {
  const plain: readonly string[] = variables.filter((each) => !secretVariables.includes(each));
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => plain.includes(name) && value !== ''),
  );
}
