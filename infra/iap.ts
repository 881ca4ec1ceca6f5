import * as projects from '@pulumi/gcp/projects/index.js';
import * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';

/** Identity-Aware Proxy of a project: the agent that calls services for the users that it admits. */
export class Iap extends Component {
  /** IAM member of the agent. */
  readonly agent: pulumi.Output<string>;
  readonly #projectNumber: pulumi.Output<string>;

  constructor(
    name: string,
    { project }: { readonly project: string },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('Iap', name, opts);
    const { email } = this.make(projects.ServiceIdentity, 'agent', {
      project,
      service: 'iap.googleapis.com',
    });
    this.agent = pulumi.interpolate`serviceAccount:${email}`;
    this.#projectNumber = email.apply(toProjectNumber);
  }

  /** Returns the audience of assertions for a service, which names the project by its number. */
  audienceOf(region: string, service: string): pulumi.Output<string> {
    return pulumi.interpolate`/projects/${this.#projectNumber}/locations/${region}/services/${service}`;
  }
}

function toProjectNumber(agent: string): string {
  const [, number] = /^service-(\d+)@/.exec(agent) ?? [];
  if (!number) throw new Error(`The agent of Identity-Aware Proxy is ${agent}, without a project number.`);
  return number;
}
