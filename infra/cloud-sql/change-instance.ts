import { setTimeout as pause } from 'node:timers/promises';
import { type Ask, GoogleApiError } from '../google-api.ts';

/** The Admin API of Cloud SQL. */
export const cloudSqlApi = 'https://sqladmin.googleapis.com/sql/v1beta4';

export type Change = { readonly url: string; readonly method: 'POST' | 'PUT'; readonly data: object };

type Operation = {
  readonly name: string;
  readonly status: string;
  readonly error?: { readonly errors?: readonly { readonly message?: string }[] };
};

/**
 * How long to wait for other changes to an instance, which Cloud SQL makes one at a time, and for this one.
 */
const timeoutMs = 600_000;
const pauseMs = 2_000;

/**
 * Changes an instance and waits until the change is done. Throws an Error if it fails or takes more than 10
 * minutes.
 */
export async function changeInstance(ask: Ask, change: Change): Promise<void> {
  const until = Date.now() + timeoutMs;
  const [project] = change.url.split('/instances/');
  let operation = await begin(ask, change, until);
  while (operation?.status !== 'DONE') {
    if (!operation || Date.now() > until) throw new Error(`Cloud SQL did not finish: ${change.url}`);
    await pause(pauseMs);
    operation = await ask<Operation>(`${project}/operations/${operation.name}`);
  }
  const [failure] = operation.error?.errors ?? [];
  if (failure) throw new Error(`Cloud SQL failed: ${failure.message ?? 'unknown error'} (${change.url})`);
}

/** Cloud SQL answers 409 while it makes another change. */
async function begin(ask: Ask, { url, ...options }: Change, until: number): Promise<Operation | undefined> {
  for (;;) {
    try {
      return await ask<Operation>(url, options);
    } catch (error) {
      if (!(error instanceof GoogleApiError) || error.status !== 409 || Date.now() > until) throw error;
    }
    await pause(pauseMs);
  }
}
