import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import { theSchedule } from '../../../shared/delivery/breakers.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import type { Forecast } from '../../../shared/schedule/forecast.ts';
import { requestTick } from '../../../shared/schedule/request-tick.ts';
import { pauseSchedule, releaseHold } from '../../../shared/targets/change-hold.ts';
import { UntilSchema } from '../../../shared/time-text.ts';
import { inEnvironment, postForm, reasonInput } from '../components/form.ts';
import { collapsible } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

/** Runs the schedule now, pauses it or resumes it, each with a reason; and how its time is changed. */
export function scheduleForm(
  { retry }: ConsoleDeps,
  context: PageContext,
  { paused }: Pick<Forecast, 'paused'>,
): Html {
  const canRun = retry.continueTopic !== undefined && retry.enabled && !paused;
  const form = postForm(context, {
    action: 'schedule',
    className: 'actions run-actions',
    content: html`${reasonInput()}
      ${!paused && html`<input type="text" name="until" placeholder="Until: 2h, 2026-03-01T05:00Z" aria-label="Pause until; empty: until it is resumed">`}
      <button name="command" value="${paused ? 'resume' : 'pause'}">${paused ? 'Resume the schedule' : 'Pause the schedule'}</button>
      ${canRun && html`<button name="command" value="run">${inEnvironment('Run now', context)}</button>`}`,
  });
  const missing =
    !canRun &&
    !paused &&
    html`<p class="muted small">Run now is not available here: it needs CONTINUE_TOPIC and RETRY_ENABLED.</p>`;
  return html`${form}${missing}${collapsible('Change the time of the schedule', times)}`;
}

/** Cloud Scheduler belongs to the deployment: the console has no right to change its jobs. */
const times = html`<p class="hint">The schedule calls from outside, and the console may not change it. In a deployment set
  <code>schedule</code> of the stack, such as <code>*/15 * * * *</code>, and run <code>pulumi up</code>; until the next one
  <code>gcloud scheduler jobs update http NAME-retry --schedule='*/15 * * * *'</code> does the same. For <code>npm start</code>
  set <code>RETRY_EVERY_SECONDS</code>.</p>`;

const FormSchema = v.object({
  reason: reasonEntry,
  until: UntilSchema,
  command: v.optional(v.picklist(['run', 'pause', 'resume'], 'Use run, pause or resume.'), 'run'),
});

/** `POST /schedule {command, reason, until}`: requests a tick, or pauses or resumes the schedule. */
export async function changeScheduleByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const { reason, until, command } = validate(FormSchema, Object.fromEntries(form));
  const change = { actor: caller.name, reason };
  if (command === 'pause') await pauseSchedule(deps.db, { ...change, until });
  else if (command === 'resume') await releaseHold(deps, { ...change, target: theSchedule });
  else await requestTick(deps, change);
  const notices = {
    run: 'A tick is requested: it starts within seconds.',
    pause: 'The schedule is paused: no tick claims an event. Replays go on.',
    resume: 'The schedule goes on. There is no undo: what is sent stays sent. Pause it again to stop.',
  };
  return { to: 'runs', notice: notices[command] };
}
