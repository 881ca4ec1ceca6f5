import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { nameInstance, type Watched } from './alert-rules.ts';
import { enableApis } from './apis.ts';
import type { Bundle } from './bundle/build-bundle.ts';
import { makeCallers } from './callers.ts';
import { explainKnown } from './check-settings.ts';
import { toDashboard } from './dashboard.ts';
import type { Database } from './database.ts';
import { openDeployment } from './deployment.ts';
import { Origin, Rollout } from './dynamic/dynamic-resources.ts';
import { makeFunctions } from './functions.ts';
import { pickOrigin } from './keep-origin.ts';
import { isGroup } from './members.ts';
import { makeMonitoring } from './monitoring.ts';
import type { Outputs } from './outputs.ts';
import { makeParts } from './parts.ts';
import { isOnCloudSql, type KnownSettings, type Settings } from './settings.ts';
import { findWarnings, isWatchable } from './warnings.ts';

/** The type of the component of a deployment. */
export const componentType = 'dead-letter-office:gcp:DeadLetterOffice';

/** Makes a complete deployment below a component. Returns its outputs. */
export function deploy(component: pulumi.Resource, settings: Settings, bundle: Bundle): Outputs {
  // Pulumi waits for pending log calls before it exits.
  for (const warning of findWarnings(settings)) void pulumi.log.warn(warning, component);
  const deployed = deployParts(settings, component, bundle);
  const watched = describeWatched(deployed);
  makeMonitoring(deployed, watched);
  verifyAll(deployed);
  const { functions, callers, topics } = deployed;
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

type Deployed = ReturnType<typeof deployParts>;

/** Makes the functions with their database, and everything that calls them, once the APIs are enabled. */
function deployParts(settings: Settings, parent: pulumi.Resource, bundle: Bundle) {
  const dependsOn = enableApis(settings, { parent, dependsOn: checkOrigin(settings, parent) });
  const parts = makeParts(openDeployment(settings, { parent, dependsOn }), bundle);
  const serving = { ...parts, functions: makeFunctions(parts) };
  return { ...serving, callers: makeCallers(serving) };
}

/** Outputs are checked once they are known: everything waits for this. */
function checkOrigin(settings: Settings, parent: pulumi.Resource): pulumi.Resource {
  const known = pulumi.output<object>(settings) as pulumi.Output<KnownSettings>;
  const inputs = {
    problems: known.apply((each) => explainKnown(settings, each)),
    settings: pickOrigin(settings),
    deployer: isOnCloudSql(settings) ? settings.deployer : undefined,
  };
  return new Origin(`${settings.name}-origin`, inputs, { parent });
}

/** Verifies at the end of each update what serves, and that callers can call it. */
function verifyAll({ settings, make, made, functions }: Deployed): void {
  const services = functions.all.map(({ plan, service, hash, grants }) => {
    const isPrivate = plan.name === 'console' || plan.name === 'replay';
    const access = { grants, isPrivate, iap: plan.variables.includes('IAP_AUDIENCE') };
    return { service, deployment: hash, access };
  });
  const inputs = { services: pulumi.output(services), timeoutSeconds: 120 };
  // The first one of a destroy: while it is protected, Pulumi deletes nothing that it depends on.
  make(Rollout, 'rollout', inputs, { dependsOn: [...made], protect: settings.deletionProtection });
}

function describeWatched({ settings, callers, database }: Deployed): Watched {
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
