import { statement } from '../../../shared/sql.ts';
import { type BriefRun, describeRun } from '../../replay/runs/describe-run.ts';
import { type Html, html } from '../html.ts';
import { describeProgress, progressBar } from '../runs/progress.ts';
import { runState } from '../runs/run-state.ts';

/** Replays that are under way or paused, the newest first. */
export const listOpenRuns = statement<{ limit: number }, BriefRun>('list-open-runs');

/** How far they are; nothing where there are none. */
export function openRunSection(rows: readonly BriefRun[]): Html | false {
  if (rows.length === 0) return false;
  return html`<section aria-labelledby="open-runs"><div class="section-head"><h2 id="open-runs">Replays under way</h2><a href="runs">All runs</a></div>
    <ul class="lines">${rows.map((row) => {
      const run = describeRun(row);
      return html`<li><a class="title clip" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>${runState(run)}
        <span class="more">${progressBar(run.progress)}</span><span class="muted small more">${describeProgress(run.progress)}</span></li>`;
    })}</ul></section>`;
}
