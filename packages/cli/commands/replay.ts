import { randomUUID } from 'node:crypto';
import { countOf } from '../../../shared/count-of.ts';
import type { Preview, RunDetail } from '../api/answers.ts';
import type { Values } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { Command, Context, Input } from '../command.ts';
import { codeOf } from '../exit-codes.ts';
import { describeExcluded, printPreview } from '../print-preview.ts';
import { confirm, getReason, yesOption } from '../terminal/questions.ts';
import { watchRun } from '../watch-run.ts';

const rollout = ['pace', 'ratePerSecond', 'startAt', 'notAfter', 'waitForTarget', 'toHeldTargets'];

export const replayCommand: Command = {
  name: 'replay',
  operation: 'createRun',
  summary: 'Replay events, after a preview',
  description: 'Shows which events it would replay, asks, and shows the progress.',
  arguments: [{ name: '<filter>', text: 'Selects events, as in the console: `type:order.* failed:>24h`.' }],
  options: ['reason', ...rollout, 'target', 'patch'],
  own: [
    yesOption,
    { flags: '--dry-run', text: 'Only shows the preview.' },
    { flags: '--detach', text: 'Does not wait for its end.' },
  ],
  examples: [
    "dlo replay 'status:FAILED_PERMANENTLY class:PaymentDown' --pace careful",
    "dlo replay 'id:42' --yes --reason 'fixed in 2.4.1'",
    "dlo replay 'type:order.*' --dry-run | jq .selected",
  ],
  run: async (context, input) => {
    const { api, terminal } = context;
    const request: Values = { ...input.values, filter: await readFilter(context, String(input.own.filter)) };
    const preview = await api.call<Preview>('createRun', { ...request, dryRun: true });
    showPreview(context, input, preview);
    if (input.own.dryRun) return undefined;
    if (preview.selected === 0) {
      terminal.note('There is nothing to replay.');
      return isPartial(preview) ? codeOf('partial') : undefined;
    }
    const reason = await getReason(terminal, request.reason);
    const run = await createRun(context, input, { request: { ...request, reason }, preview });
    if (input.own.detach) return printCreated(context, run);
    const exitCode = await watchRun(context, run.id);
    return exitCode === codeOf('done') && isPartial(preview) ? codeOf('partial') : exitCode;
  },
};

/** The filter as JSON, without the events that are captured from now on: what is previewed is replayed. */
async function readFilter({ api }: Context, q: string): Promise<Values> {
  const { filter, now } = await api.call<{ filter: Values; now: string }>('readFilter', { q });
  const isEmpty = Object.keys(filter).length === 0;
  return isEmpty || filter.capturedBefore !== undefined ? filter : { ...filter, capturedBefore: now };
}

function showPreview({ terminal }: Context, { own }: Input, preview: Preview): void {
  if (terminal.isText) printPreview(terminal, preview);
  else if (own.dryRun) terminal.printJson(preview);
  else for (const line of describeExcluded(preview)) terminal.note(line);
}

/** Whether events are left out that were asked for: delivered and discarded ones are by their status alone. */
function isPartial({ excluded }: Preview): boolean {
  return excluded.some(({ reason }) => reason === 'no-route' || reason === 'leased');
}

type Previewed = { readonly request: Values; readonly preview: Preview };

/** Creates the replay of a preview. If its events have changed since, it previews them and asks again. */
async function createRun(
  context: Context,
  input: Input,
  { request, preview }: Previewed,
): Promise<RunDetail> {
  const { api, terminal } = context;
  if (!input.own.yes) await confirm(terminal, `Replay ${countOf(preview.selected, 'event')}?`);
  const { selection } = preview;
  try {
    return await api.call('createRun', { ...request, selection, 'Idempotency-Key': randomUUID() });
  } catch (error) {
    const changed = error instanceof ApiError ? error.problem.preview : undefined;
    if (!changed) throw error;
    terminal.note('The events have changed since the preview.');
    showPreview(context, input, changed);
    return createRun(context, input, { request, preview: changed });
  }
}

function printCreated({ terminal }: Context, run: RunDetail): undefined {
  const state = run.state === 'scheduled' ? 'is scheduled' : 'has begun';
  if (terminal.isText) terminal.print(`Replay ${run.id} ${state}. Watch it: dlo watch ${run.id}`);
  else terminal.printJson(run);
}
