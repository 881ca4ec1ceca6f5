import type { describeRun } from '../../../shared/replay/describe-run.ts';
import { runState } from '../components/marks.ts';
import { describeProgress, progressBar } from '../components/progress.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** The replays that are running or paused with their progress; nothing if there are none. */
export function openRunSection(runs: readonly ReturnType<typeof describeRun>[]): Html | false {
  if (runs.length === 0) return false;
  const lines = runs.map(
    (
      run,
    ) => html`<li><a class="title truncate" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>${runState(run)}
      <span class="more">${progressBar(run.progress)}</span><span class="muted small more">${describeProgress(run.progress)}</span></li>`,
  );
  return section('Open replays', html`<ul class="list">${lines}</ul>`, html`<a href="runs">All runs</a>`);
}
