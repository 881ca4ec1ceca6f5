import { setTimeout as delay } from 'node:timers/promises';
import { countOf, formatNumber } from '../../shared/count-of.ts';
import type { RunDetail } from './api/answers.ts';
import { rideOut } from './api/api-error.ts';
import type { Context } from './command.ts';
import { codeOf, type ExitCode } from './exit-codes.ts';
import { duration } from './terminal/format.ts';
import { showProgress } from './terminal/progress.ts';
import { isYes } from './terminal/questions.ts';
import { toLine } from './terminal/table.ts';

const everyMs = 1000;

/**
 * Shows the progress of a replay until it ends or pauses, and asks whether it goes on after its canary.
 * Returns the exit code.
 */
export async function watchRun(context: Context, id: string): Promise<ExitCode> {
  const { terminal, api } = context;
  const run = await followRun(context, id);
  if (isAfterCanary(run) && terminal.isInteractive) {
    const { waiting } = run.progress;
    const isConfirmed = await isYes(terminal, `Go on with the other ${countOf(waiting, 'event')}?`);
    if (isConfirmed) {
      await api.call('resumeRun', { id });
      return watchRun(context, id);
    }
  }
  if (!terminal.isText) terminal.printJson(run);
  else for (const line of describeProblems(run)) terminal.print(line);
  const { delivered, selected } = run.progress;
  return run.state === 'ended' && delivered === selected ? codeOf('done') : codeOf('partial');
}

/** Whether the first deliveries of a replay went well, and it waits for a decision about the others. */
function isAfterCanary({ state, progress: { delivered, failed, waiting } }: RunDetail): boolean {
  return state === 'paused' && delivered > 0 && failed === 0 && waiting > 0;
}

async function followRun({ api, terminal, signal }: Context, id: string): Promise<RunDetail> {
  const show = () => api.call<RunDetail>('showRun', { id });
  let run = await show();
  const bar = showProgress(terminal, {
    max: run.progress.selected,
    text: describeProgress(run),
    interrupted: `Replay ${id} goes on. Watch it again: dlo watch ${id}`,
  });
  while (run.state !== 'ended' && run.state !== 'paused') {
    await delay(everyMs, undefined, { signal });
    run = await rideOut(show, signal);
    bar.show(run.progress.selected - run.progress.waiting, describeProgress(run));
  }
  bar.end(describeEnd(run));
  return run;
}

function describeProgress({ state, rollout, progress, ratePerSecond, doneAt, stall }: RunDetail): string {
  const { selected, failed, skipped, waiting } = progress;
  const { startAt } = rollout as { readonly startAt?: string };
  if (state === 'scheduled') return `${countOf(waiting, 'event')}, from ${startAt} on`;
  const parts = [`${formatNumber(selected - waiting)} of ${formatNumber(selected)}`];
  if (failed + skipped > 0) parts.push(`${formatNumber(failed + skipped)} failed`);
  if (ratePerSecond) parts.push(`${ratePerSecond.toFixed(ratePerSecond < 10 ? 1 : 0)} /s`);
  if (doneAt) parts.push(`${duration((Date.parse(doneAt) - Date.now()) / 1000)} to go`);
  return [parts.join(', '), stall?.because].filter(Boolean).join('; ');
}

function describeEnd({ id, state, stopped, pausedBecause, progress }: RunDetail): string {
  const { delivered, failed, skipped, waiting } = progress;
  const counts = [`${formatNumber(delivered)} delivered`];
  if (failed > 0) counts.push(`${formatNumber(failed)} failed`);
  if (skipped > 0) counts.push(`${formatNumber(skipped)} skipped`);
  if (waiting > 0) counts.push(`${formatNumber(waiting)} waiting`);
  const end = state === 'paused' ? `paused. ${pausedBecause ?? ''}` : `ended: ${stopped ?? ''}.`;
  return `Replay ${id} ${end} ${counts.join(', ')}.`;
}

function describeProblems({ id, state, answers, progress }: RunDetail): string[] {
  const problems = answers.filter(({ outcome }) => outcome !== 'delivered');
  return [
    ...(state === 'paused' ? [`Resume it: dlo resume ${id}`] : []),
    ...problems.map(
      ({ outcome, events, error, example }) =>
        `  ${countOf(events, 'event')} ${outcome}: ${toLine(error ?? '')} (such as ${example})`,
    ),
    ...(progress.failed > 0 ? [`List them: dlo events 'run:${id}/failed'`] : []),
  ];
}
