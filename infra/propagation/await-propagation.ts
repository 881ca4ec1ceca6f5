import { setTimeout as pause } from 'node:timers/promises';
import type * as pulumi from '@pulumi/pulumi';
import type { WithCode } from '../dynamic-provider.ts';

export type Inputs = WithCode<{
  /** Ids of the grants and of their accounts. */
  readonly grants: readonly string[];
  readonly seconds: number;
}>;

/** Waits once for all new grants. */
export async function create(inputs: Inputs): Promise<pulumi.dynamic.CreateResult<Inputs>> {
  await pause(inputs.seconds * 1000);
  return { id: 'propagation', outs: inputs };
}

/** Waits for grants that were added. */
export async function update(olds: Inputs, news: Inputs): Promise<Inputs> {
  if (findNew(olds, news).length > 0) await pause(news.seconds * 1000);
  return news;
}

/** Reports a change if a grant was added or removed; a different delay alone is none. */
export async function diff(olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
  return { changes: findNew(olds, news).length > 0 || findNew(news, olds).length > 0, replaces: [] };
}

function findNew(olds: Inputs, news: Inputs): string[] {
  return news.grants.filter((grant) => !olds.grants.includes(grant));
}
