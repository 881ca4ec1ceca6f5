import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { isGroup } from './members.ts';
import type { Settings } from './settings.ts';

export type Endpoints = {
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  readonly deadLetters: string;
  readonly pusher: pulumi.Output<string>;
};

/**
 * Returns commands for operators. Pulumi prints outputs with escaped quotes and backslashes: a command
 * without them can be copied from the terminal.
 */
export function nextSteps({ project, region, name, iap, operators }: Settings, to: Endpoints) {
  const { capture, replay, console: opened } = to.urls;
  const there = `--project=${project}`;
  return {
    tryIt: `gcloud pubsub topics publish ${name}-capture ${there} --message=hello --attribute=eventType=test.event`,
    openConsole: iap
      ? pulumi.interpolate`${opened}`
      : `gcloud run services proxy ${name}-console ${there} --region=${region} --port=8080`,
    ...(operators.some(isGroup) && {
      openConsoleAsOperator: pulumi.interpolate`${opened}/${operatorPath}`,
    }),
    listEvents: pulumi.interpolate`curl ${replay}/events --oauth2-bearer $(gcloud auth print-identity-token)`,
    retryNow: `gcloud scheduler jobs run ${name}-retry ${there} --location=${region}`,
    readLogs: `gcloud logging read resource.labels.service_name:${name}- ${there} --limit=50`,
    showDeadLetters: `gcloud pubsub subscriptions pull ${to.deadLetters} ${there} --limit=10`,
    recaptureDeadLetters: pulumi.interpolate`gcloud pubsub subscriptions modify-push-config ${to.deadLetters} ${there} --push-endpoint=${capture} --push-auth-service-account=${to.pusher} --push-auth-token-audience=${capture}`,
    stopRecapture: `gcloud pubsub subscriptions modify-push-config ${to.deadLetters} ${there} --push-endpoint=`,
  };
}
