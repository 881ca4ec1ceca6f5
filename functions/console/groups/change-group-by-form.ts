import { check } from '../../../shared/config/validate.ts';
import { InputError, NotFoundError } from '../../../shared/errors.ts';
import { changeGroup } from '../../../shared/groups/error-groups.ts';
import { GroupChangeSchema } from '../../../shared/groups/group-change.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** `POST /groups/:fingerprint {state, mute, owner, note, reason}`: changes the state, owner and note of a group. */
export async function changeGroupByForm(
  { db }: ConsoleDeps,
  { params, form, caller, now }: PageContext,
): Promise<Redirect> {
  const { fingerprint = '' } = params;
  const state = form.get('state') || undefined;
  const checked = check(GroupChangeSchema, {
    ...(state && { state }),
    ...(state === 'MUTED' && readMute(form.get('mute') ?? '', now)),
    owner: form.get('owner')?.trim(),
    note: form.get('note')?.trim(),
    reason: form.get('reason')?.trim() || undefined,
  });
  if (!checked.ok) throw new InputError(checked.problems);
  const isKnown = await changeGroup(db, fingerprint, { ...checked.value, actor: caller.name });
  if (!isKnown) throw new NotFoundError(`There is no error group ${fingerprint.slice(0, 80)}`);
  const notice = state ? `The error is now ${state.toLowerCase()}.` : 'Saved.';
  return { to: `groups/${encodeURIComponent(fingerprint)}`, notice };
}

/** `7d`: for 7 days; `100`: for 100 more failures; `100/h`: until more than 100 fail in an hour. */
function readMute(text: string, now: Date): object {
  const [, time = '', unit = ''] = /^(\d+)([hd])$/.exec(text) ?? [];
  if (unit) return { mutedUntil: new Date(now.getTime() + Number(time) * (unitMs[unit] ?? 0)).toISOString() };
  const [, count, perHour] = /^(\d+)(\/h)?$/.exec(text) ?? [];
  if (count === undefined) return {};
  return perHour ? { mutedUntilHourly: Number(count) } : { mutedForFailures: Number(count) };
}
