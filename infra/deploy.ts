import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { nameInstance, type Watched } from './alert-rules.ts';
import { enableApis } from './apis.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { makeCallers } from './callers.ts';
import { explainKnown } from './check-settings.ts';
import { toDashboard } from './dashboard.ts';
import type { Database } from './database.ts';
import { Origin, Rollout } from './dynamic/dynamic-resources.ts';
import { makeFunctions } from './functions.ts';
import { pickOrigin } from './keep-origin.ts';
import { isGroup } from './members.ts';
import { makeMonitoring } from './monitoring.ts';
import type { Outputs } from './outputs.ts';
import { isOnCloudSql, makeParts } from './parts.ts';
import type { KnownSettings, Settings } from './settings.ts';
import { findWarnings, isWatchable } from './warnings.ts';

/** The type of the component of a deployment. */
export const componentType = 'dead-letter-office:gcp:DeadLetterOffice';

/** Makes a complete deployment below a component. Returns its outputs. */
export function deploy(component: pulumi.Resource, settings: Settings, bundle: Bundle): Outputs {
  // Pulumi waits for pending log calls before it exits.
  for (const warning of findWarnings(settings)) void pulumi.log.warn(warning, component);
  const inside = { parent: component, transformations: [waitForApis(settings, component)] };
  const deployed = deployParts(settings, bundle, inside);
  const { functions, callers, topics } = deployed;
  const watched = describeWatched(settings, deployed);
  const monitoring = makeMonitoring(`${settings.name}-monitoring`, watched, inside);
  const dependsOn = [functions.component, callers.component, monitoring];
  // The first one of a destroy: while it is protected, Pulumi deletes nothing that it depends on.
  verifyAll(deployed, { ...inside, dependsOn, protect: settings.deletionProtection });
  return {
    urls: functions.urls,
    captureTopic: topics.capture.id,
    deliveryIdentity: functions.get('retry').identity.member,
    sources: callers.sources,
    // A secret, of which each update prints one word instead of 300 lines.
    dashboard: pulumi.secret(nameInstance(toDashboard(watched), watched)),
    next: nextSteps(settings, deployed),
  };
}

/** Makes a component and all its children wait for the APIs; dependsOn covers the component only. */
function waitForApis(settings: Settings, parent: pulumi.Resource): pulumi.ResourceTransformation {
  // Outputs are checked once they are known: everything waits for the origin.
  const known = pulumi.output<object>(settings) as pulumi.Output<KnownSettings>;
  const inputs = {
    problems: known.apply((each) => explainKnown(settings, each)),
    settings: pickOrigin(settings),
    deployer: isOnCloudSql(settings) ? settings.deployer : undefined,
  };
  const origin = new Origin(`${settings.name}-origin`, inputs, { parent });
  const dependsOn = enableApis(settings, { parent, dependsOn: origin });
  return ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { dependsOn }) });
}

type Deployed = ReturnType<typeof deployParts>;

/** Makes the functions with their database, and everything that calls them. */
function deployParts(settings: Settings, bundle: Bundle, inside: pulumi.ComponentResourceOptions) {
  const parts = makeParts(settings, bundle, inside);
  const functions = makeFunctions(`${settings.name}-functions`, parts, inside);
  const callers = makeCallers(`${settings.name}-callers`, { ...parts, functions }, inside);
  return { ...parts, functions, callers };
}

/** Verifies at the end of each update what serves, and that callers can call it. */
function verifyAll({ settings, functions }: Deployed, opts: pulumi.CustomResourceOptions) {
  const services = functions.all.map(({ plan, service, hash, grants }) => {
    const isPrivate = plan.name === 'console' || plan.name === 'replay';
    const access = { grants, isPrivate, iap: plan.variables.includes('IAP_AUDIENCE') };
    return { service, deployment: hash, access };
  });
  const inputs = { services: pulumi.output(services), timeoutSeconds: 120 };
  new Rollout(`${settings.name}-rollout`, inputs, opts);
}

function describeWatched(settings: Settings, { callers, database }: Deployed): Watched {
  return {
    settings,
    subscriptions: callers.pushes.flatMap(({ subscriptions }) => subscriptions),
    deadLetterSubscriptions: callers.pushes.map(({ deadLetters }) => deadLetters),
    instance: database && isWatchable(settings) ? database.id : undefined,
  };
}

/** Returns commands without quotes and backslashes, which Pulumi would escape: they can be copied. */
function nextSteps({ project, region, name, iap, operators }: Settings, deployed: Deployed) {
  const { functions, callers, database } = deployed;
  const { capture, replay, console: opened } = functions.urls;
  const { deadLetters, pusher } = callers.capture;
  const there = pulumi.interpolate`--project=${project}`;
  return {
    tryIt: pulumi.interpolate`gcloud pubsub topics publish ${name}-capture ${there} --message=hello --attribute=eventType=test.event`,
    openConsole: iap
      ? pulumi.interpolate`${opened}`
      : pulumi.interpolate`gcloud run services proxy ${name}-console ${there} --region=${region} --port=8080`,
    ...(operators.some(isGroup) && {
      openConsoleAsOperator: pulumi.interpolate`${opened}/${operatorPath}`,
    }),
    listEvents: pulumi.interpolate`curl ${replay}/events --oauth2-bearer $(gcloud auth print-identity-token)`,
    retryNow: pulumi.interpolate`gcloud scheduler jobs run ${name}-retry ${there} --location=${region}`,
    readLogs: pulumi.interpolate`gcloud logging read resource.labels.service_name:${name}- ${there} --limit=50`,
    showDeadLetters: pulumi.interpolate`gcloud pubsub subscriptions pull ${deadLetters} ${there} --limit=10`,
    recaptureDeadLetters: pulumi.interpolate`gcloud pubsub subscriptions modify-push-config ${deadLetters} ${there} --push-endpoint=${capture} --push-auth-service-account=${pusher} --push-auth-token-audience=${capture}`,
    ...(database && connectByProxy(database)),
    stopRecapture: pulumi.interpolate`gcloud pubsub subscriptions modify-push-config ${deadLetters} ${there} --push-endpoint=`,
  };
}

/** The commands for a person of `readers`: the second one in another terminal. */
function connectByProxy({ connectionName, databaseName, ipType }: Database) {
  const address = { PUBLIC: '', PRIVATE: ' --private-ip', PSC: ' --psc' }[ipType];
  return {
    openDatabase: pulumi.interpolate`cloud-sql-proxy --auto-iam-authn${address} --port=5432 ${connectionName}`,
    readDatabase: `psql -h 127.0.0.1 -d ${databaseName} -U $(gcloud config get account)`,
  };
}
