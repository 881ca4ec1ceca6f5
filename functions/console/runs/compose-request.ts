import { InputError } from '../../../shared/errors.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/filter/freeze-filter.ts';
import { parseFilterText } from '../../../shared/filter/parse-filter-text.ts';
import { type RunRequest, readRunRequest } from '../../replay/runs/run-request.ts';
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
  const seenAt = readTime(form.asOf, now);
  const body = {
    filter: until(readFilterText(form.q ?? '', seenAt), seenAt),
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
  const raw = JSON.stringify(body);
  return readRunRequest({ raw, body: JSON.parse(raw), key, now });
}

function readFilterText(text: string, now: Date): Filter {
  const parsed = parseFilterText(text);
  if (parsed.ok) return freezeFilter(parsed.value, now);
  const problems = parsed.problems.map(({ from, to, remedy }) => ({
    field: 'filter',
    value: text.slice(from, to),
    remedy,
  }));
  throw new InputError(problems);
}

function until(filter: Filter, seenAt: Date): Filter {
  const { capturedBefore } = filter;
  const isEarlier = capturedBefore !== undefined && new Date(capturedBefore) < seenAt;
  return isEarlier ? filter : { ...filter, capturedBefore: seenAt.toISOString() };
}

function readTime(text: string | undefined, now: Date): Date {
  const time = new Date(text ?? now);
  return Number.isNaN(time.getTime()) || time > now ? now : time;
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
