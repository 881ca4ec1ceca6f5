import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import { holdTarget, releaseTarget, stopEverything } from '../../../shared/targets/change-hold.ts';
import { probeTarget } from '../../../shared/targets/probe-target.ts';
import { UntilSchema } from '../../../shared/time-text.ts';
import { targetLink } from '../components/target-state.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

const FormSchema = v.object({
  reason: reasonEntry,
  until: UntilSchema,
  command: v.picklist(['probe', 'hold', 'release'], 'Use probe, hold or release.'),
});

/** `POST /targets/:target {command, reason}`: probes, holds or releases a target. */
export async function changeTargetByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const { reason, command, until } = validate(FormSchema, Object.fromEntries(form));
  const change = { target: params.target ?? '', actor: caller.name, reason };
  if (command === 'probe') return { to: `runs/${(await probeTarget(deps, change)).id}` };
  if (command === 'hold') await holdTarget(deps, { ...change, until });
  else await releaseTarget(deps, change);
  const notice = command === 'hold' ? 'The target is held.' : 'The target is released.';
  return { to: targetLink(change.target), notice };
}

const StopSchema = v.object({ reason: reasonEntry, until: UntilSchema });

/** `POST /targets {reason, until}`: stops all deliveries. */
export async function stopByForm(deps: ConsoleDeps, { form, caller }: PageContext): Promise<Redirect> {
  const { reason, until } = validate(StopSchema, Object.fromEntries(form));
  const { auditId } = await stopEverything(deps, { reason, until, actor: caller.name });
  return { to: 'targets', notice: 'All deliveries are stopped.', undo: `activity/${auditId}/undo` };
}
