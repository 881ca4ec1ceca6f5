import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { isGroup } from './members.ts';
import type { Settings } from './settings.ts';

export type Endpoints = {
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  readonly deadLetters: string;
  readonly pusher: pulumi.Output<string>;
};

/** Returns commands for operators, ready to be copied. */
export function nextSteps({ project, region, name, iap, operators }: Settings, to: Endpoints) {
  const { capture, replay, console: opened } = to.urls;
  const there = `--project=${project}`;
  const token = 'Authorization: Bearer $(gcloud auth print-identity-token)';
  return {
    openConsole: iap
      ? pulumi.interpolate`${opened}`
      : `gcloud run services proxy ${name}-console ${there} --region=${region} --port=8080`,
    ...(operators.some(isGroup) && {
      openConsoleAsOperator: pulumi.interpolate`${opened}/${operatorPath}`,
    }),
    retryNow: `gcloud scheduler jobs run ${name}-retry ${there} --location=${region}`,
    replay: pulumi.interpolate`curl ${replay} -H "${token}" -H 'content-type: application/json' -d '{"ids": ["1"]}'`,
    readLogs: `gcloud logging read 'resource.labels.service_name=~"^${name}-"' ${there} --limit=50`,
    showDeadLetters: `gcloud pubsub subscriptions pull ${to.deadLetters} ${there} --limit=10`,
    recaptureDeadLetters: pulumi.interpolate`gcloud pubsub subscriptions modify-push-config ${to.deadLetters} ${there} --push-endpoint=${capture} --push-auth-service-account=${to.pusher} --push-auth-token-audience=${capture}`,
    stopRecapture: `gcloud pubsub subscriptions modify-push-config ${to.deadLetters} ${there} --push-endpoint=`,
  };
}
