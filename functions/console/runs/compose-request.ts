import { InputError } from '../../../shared/errors.ts';
import { type RunRequest, readRunRequest } from '../../replay/runs/run-request.ts';
import { readSeenFilter } from '../parts/seen-filter.ts';
import type { ReplayForm } from './replay-form.ts';

/** An edit of one event, in the form in which the replay API takes it. */
export type Edit = {
  readonly body?: string | { readonly base64: string };
  readonly headers?: unknown;
};

type More = {
  readonly now: Date;
  readonly dryRun: boolean;
  readonly key?: string | undefined;
  readonly edit?: Edit | undefined;
};

/**
 * The request to the replay API that a form means. Nothing that was captured after the person has looked joins. Throws
 * an InputError with every problem.
 */
export function composeRequest(form: ReplayForm, { now, dryRun, key, edit }: More): RunRequest {
  const body = {
    filter: readSeenFilter({ text: form.q ?? '', asOf: form.asOf, now }),
    includeSucceeded: form.includeSucceeded === 'on',
    includeDiscarded: form.includeDiscarded === 'on',
    target: form.target,
    reason: form.reason,
    edit,
    ratePerSecond: readNumber(form.rate),
    ramp: form.ramp?.split(/[\s,]+/).map(readNumber),
    canary: readNumber(form.canary),
    gate: readGate(form.stopAbove),
    watchSeconds: readNumber(form.watch),
    dryRun,
  };
  const raw = addPatch(JSON.stringify(body), form.patch);
  return readRunRequest({ raw, body: JSON.parse(raw), key, now });
}

/** As it was written: parsed and printed again, large numbers would be others. */
function addPatch(json: string, patch: string | undefined): string {
  if (patch === undefined) return json;
  try {
    JSON.parse(patch);
  } catch (error) {
    const remedy = `Must be JSON: ${error instanceof Error ? error.message : error}.`;
    throw new InputError([{ field: 'patch', value: '(not shown)', remedy }]);
  }
  return `${json.slice(0, -1)},"patch":${patch}}`;
}

/** What is no number stays text, so that the check says what is wrong with it. */
function readNumber(text: string | undefined): number | string | undefined {
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function readGate(percent: string | undefined): unknown {
  const number = readNumber(percent ?? '50');
  if (number === 100) return false;
  return { maxFailureRatio: typeof number === 'number' ? number / 100 : number };
}
