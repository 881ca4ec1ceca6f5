import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import { reasonEntry } from '../../../shared/events/actions/read-action.ts';
import { holdTarget, releaseTarget } from '../../../shared/targets/change-hold.ts';
import { probeTarget } from '../../../shared/targets/probe-target.ts';
import { targetLink } from '../components/target-state.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

const FormSchema = v.object({
  reason: reasonEntry,
  command: v.picklist(['probe', 'hold', 'release'], 'Use probe, hold or release.'),
});

/** `POST /targets/:target {command, reason}`: probes, holds or releases a target. */
export async function changeTargetByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const { reason, command } = validate(FormSchema, Object.fromEntries(form));
  const change = { target: params.target ?? '', actor: caller.name, reason };
  if (command === 'probe') return { to: `runs/${(await probeTarget(deps, change)).id}` };
  await (command === 'hold' ? holdTarget : releaseTarget)(deps, change);
  const notice = command === 'hold' ? 'The target is held.' : 'The target is released.';
  return { to: targetLink(change.target), notice };
}
