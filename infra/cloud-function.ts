import * as cloudfunctions from '@pulumi/gcp/cloudfunctionsv2/index.js';
import * as cloudrun from '@pulumi/gcp/cloudrunv2/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Account } from './account.ts';
import { Component } from './component.ts';
import type { FunctionConfig } from './function-config.ts';
import type { FunctionPlan } from './function-plan.ts';
import { deploymentVariable } from './rollout/read-served.ts';
import type { Settings } from './settings.ts';

export type CloudFunctionArgs = FunctionConfig &
  Pick<Settings, 'project' | 'region' | 'kmsKey'> & {
    readonly plan: FunctionPlan;
    readonly identity: Account;
    /** The number of the attempt to build it, as text. */
    readonly attempt: pulumi.Input<string>;
    /** The options of functions, and what they wait for. */
    readonly options: pulumi.CustomResourceOptions;
  };

/** One function on Google Cloud, with a service account of its own and no caller until `allow` adds one. */
export class CloudFunction extends Component {
  /** The run.app URL: at cloudfunctions.net internal ingress rejects Pub/Sub and Scheduler. */
  readonly url: pulumi.Output<string>;
  readonly plan: FunctionPlan;
  /** IAM member of its service account. */
  readonly member: pulumi.Output<string>;
  /** Full name of its Cloud Run service, known once it exists. */
  readonly service: pulumi.Output<string>;
  /** A hash of what the service serves once the function is deployed. */
  readonly hash: pulumi.Output<string>;
  /** Members that may call it, or have another role on its Cloud Run service. */
  readonly grants: { readonly role: string; readonly member: pulumi.Input<string> }[] = [];
  readonly #made: cloudfunctions.Function;

  constructor(name: string, args: CloudFunctionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Function', name, opts);
    const { project, region: location, plan, hash, attempt, kmsKey } = args;
    const { buildConfig, serviceConfig, variables } = args;
    const made = new cloudfunctions.Function(
      `${name}-function`,
      {
        project,
        location,
        name,
        description: `Dead Letter Office: ${plan.name}`,
        ...(kmsKey && { kmsKeyName: kmsKey }),
        buildConfig: { ...buildConfig, environmentVariables: { BUILD_ATTEMPT: attempt } },
        serviceConfig: {
          ...serviceConfig,
          environmentVariables: { ...variables, [deploymentVariable]: hash },
        },
      },
      // Its name is given: a replacement made first would be rejected.
      { ...args.options, parent: this, deleteBeforeReplace: true },
    );
    this.plan = plan;
    this.url = made.serviceConfig.apply((service) => service?.uri ?? missUrl(name));
    this.hash = hash;
    this.member = args.identity.member;
    this.service = pulumi.interpolate`projects/${project}/locations/${location}/services/${made.name}`;
    this.#made = made;
  }

  /** Allows `member` to call this function only, or grants it another role on its Cloud Run service. */
  allow(name: string, member: pulumi.Input<string>, role = 'roles/run.invoker'): pulumi.Resource {
    this.grants.push({ role, member });
    const { project, location, name: service } = this.#made;
    const args = { project, location, name: service, role, member };
    return new cloudrun.ServiceIamMember(name, args, { parent: this });
  }
}

/** A function whose first build failed has no URL. It is unknown in a preview: the update builds it again. */
function missUrl(name: string): string {
  if (pulumi.runtime.isDryRun()) return pulumi.unknown as unknown as string;
  throw new Error(
    `Google Cloud returned no URL for ${name}: it was never built. Run the same command again.`,
  );
}
