import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import type { Database } from './database.ts';
import { isGroup } from './members.ts';
import type { PushSubscription } from './push-subscription.ts';
import type { Settings } from './settings.ts';

export type Endpoints = {
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  /** Pushes failures to capture. */
  readonly push: PushSubscription;
  /** Undefined if it is not on Cloud SQL. */
  readonly database: Database | undefined;
};

/**
 * Returns commands for operators. Pulumi prints outputs with escaped quotes and backslashes: a command
 * without them can be copied from the terminal.
 */
export function nextSteps({ project, region, name, iap, operators }: Settings, to: Endpoints) {
  const { capture, replay, console: opened } = to.urls;
  const { deadLetters, pusher } = to.push;
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
    ...(to.database && connect(to.database)),
    stopRecapture: pulumi.interpolate`gcloud pubsub subscriptions modify-push-config ${deadLetters} ${there} --push-endpoint=`,
  };
}

/** The commands for a person of `readers`: the second one in another terminal. */
function connect({ connectionName, databaseName, ipType }: Database) {
  const address = { PUBLIC: '', PRIVATE: ' --private-ip', PSC: ' --psc' }[ipType];
  return {
    openDatabase: pulumi.interpolate`cloud-sql-proxy --auto-iam-authn${address} --port=5432 ${connectionName}`,
    readDatabase: `psql -h 127.0.0.1 -d ${databaseName} -U $(gcloud config get account)`,
  };
}
