import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import type { Database } from '../../../shared/database/database.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import { findStop, holdTarget, releaseTarget, stopEverything } from '../../../shared/targets/change-hold.ts';
import { probeTarget } from '../../../shared/targets/probe-target.ts';
import { UntilSchema } from '../../../shared/time-text.ts';
import { inEnvironment, postForm, reasonField, untilField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { section } from '../components/section.ts';
import { targetLink } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

const StopSchema = v.object({ reason: reasonEntry, until: UntilSchema });
const commands = v.picklist(['probe', 'hold', 'release'], 'Use probe, hold or release.');
const FormSchema = v.object({ ...StopSchema.entries, command: commands });

/** `POST /targets/:target {command, reason}`: probes, holds or releases a target. */
export async function changeTargetByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const { reason, command, until } = validate(FormSchema, Object.fromEntries(form));
  const change = { target: params.target ?? '', actor: caller.name, reason };
  if (command === 'probe') return { to: `runs/${(await probeTarget(deps, change)).id}` };
  if (command === 'hold') await holdTarget(deps, { ...change, until });
  else await releaseTarget(deps, change);
  const released =
    'The target is released. There is no undo: what is sent stays sent. Hold it again to stop.';
  const notice = command === 'hold' ? 'The target is held.' : released;
  return { to: targetLink(change.target), notice };
}

/** `POST /targets {reason, until}`: stops all deliveries. */
export async function stopByForm(deps: ConsoleDeps, { form, caller }: PageContext): Promise<Redirect> {
  const { reason, until } = validate(StopSchema, Object.fromEntries(form));
  const { auditId } = await stopEverything(deps, { reason, until, actor: caller.name });
  return { to: 'targets', notice: 'All deliveries are stopped.', undo: `activity/${auditId}/undo` };
}

/** Says that everything is stopped, by whom, since when and why, with the way back. */
export async function stopNotice(db: Database, { caller }: PageContext): Promise<Html | false> {
  const [stop] = await findStop(db, {});
  if (!stop) return false;
  const back = caller.isOperator && html` <a href="activity/${stop.id}/undo">Start again…</a>`;
  return html`<p class="warning" role="status"><b>All deliveries are stopped</b> by ${stop.actor}, ${ago(stop.at)}: ${stop.reason}.${back}</p>`;
}

/** The form that stops everything. */
export function stopSection(context: PageContext): Html | false {
  const content = html`${reasonField()}${untilField('Until', 'Empty: until it is undone.')}
    <div class="actions"><button class="danger">${inEnvironment('Stop all deliveries', context)}</button></div>
    <p class="hint">Holds every target and pauses every replay. Deliveries in flight end; captures go on.</p>`;
  const form = postForm(context, { action: 'targets', content });
  return context.caller.isOperator && section('Stop everything', form);
}
