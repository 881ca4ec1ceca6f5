import * as projects from '@pulumi/gcp/projects/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Settings } from './settings.ts';

/** Identity-Aware Proxy of a project: the agent that calls services for the users that it admits. */
export type Iap = ReturnType<typeof openIap>;

export function openIap({ project, region, name }: Settings, opts: pulumi.CustomResourceOptions) {
  const args = { project, service: 'iap.googleapis.com' };
  const { email } = new projects.ServiceIdentity(`${name}-iap-agent`, args, opts);
  const number = email.apply(toProjectNumber);
  return {
    /** IAM member of the agent. */
    agent: pulumi.interpolate`serviceAccount:${email}`,
    /** Returns the audience of assertions for a service, which names the project by its number. */
    audienceOf: (service: string) =>
      pulumi.interpolate`/projects/${number}/locations/${region}/services/${service}`,
  };
}

function toProjectNumber(agent: string): string {
  const [, number] = /^service-(\d+)@/.exec(agent) ?? [];
  if (!number) throw new Error(`The agent of Identity-Aware Proxy is ${agent}, without a project number.`);
  return number;
}
