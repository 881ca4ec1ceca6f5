import * as iap from '@pulumi/gcp/iap/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import type { CloudFunction } from './cloud-function.ts';
import { Component } from './component.ts';
import type { Functions } from './functions.ts';
import type { Iap } from './iap.ts';
import { isGroup, slugOf } from './members.ts';
import type { Settings } from './settings.ts';

export type ConsoleAccessArgs = {
  readonly settings: Settings;
  readonly functions: Functions;
  /** Undefined: users open the console with `gcloud run services proxy`. */
  readonly iap: Iap | undefined;
};

/** Permissions of users to open the console and to call the API; both stay closed to everyone else. */
export class ConsoleAccess extends Component {
  readonly #args: ConsoleAccessArgs;

  constructor(name: string, args: ConsoleAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super('ConsoleAccess', name, opts);
    this.#args = args;
    const { settings, functions } = args;
    const { operators, viewers } = settings;
    for (const target of functions.all.filter(isTrusting)) {
      target.allow(`${name}-${target.plan.name}-reads-its-policy`, target.member, 'roles/run.viewer');
    }
    for (const user of new Set(operators)) {
      functions.get('replay').allow(`${name}-${slugOf(user)}-opens-replay`, user);
    }
    const users = new Set([...operators, ...viewers]);
    if (args.iap) this.#allowByIap(users, args.iap);
    else this.#allowByProxy(users);
  }

  #allowByProxy(users: ReadonlySet<string>): void {
    const target = this.#args.functions.get('console');
    for (const user of users) {
      target.allow(`${this.prefix}-${slugOf(user)}-opens-console`, user);
      // `gcloud run services proxy` reads the service before it calls it, which the invoker may not.
      target.allow(`${this.prefix}-${slugOf(user)}-finds-console`, user, 'roles/run.viewer');
    }
  }

  #allowByIap(users: ReadonlySet<string>, { agent }: Iap): void {
    const { project, region, name, operators } = this.#args.settings;
    this.#args.functions.get('console').allow(`${this.prefix}-iap-calls-console`, agent);
    // The console is not told who is in a group: it serves operators below a path of their own.
    const hasOperatorGroup = operators.some(isGroup);
    for (const member of users) {
      const isViewer = hasOperatorGroup && !operators.includes(member);
      this.make(iap.WebCloudRunServiceIamMember, `${slugOf(member)}-opens-console`, {
        project,
        location: region,
        cloudRunServiceName: `${name}-console`,
        role: 'roles/iap.httpsResourceAccessor',
        member,
        ...(isViewer && { condition: viewersOnly }),
      });
    }
  }
}

/**
 * Whether a function believes tokens which Cloud Run has verified, while its IAM policy keeps it private: it
 * reads that policy.
 */
const isTrusting = ({ plan }: CloudFunction): boolean => plan.variables.includes('CLOUD_RUN_IAM');

const viewersOnly = {
  title: 'not as an operator',
  expression: `!request.path.startsWith("/${operatorPath}")`,
};
