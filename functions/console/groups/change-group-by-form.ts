import { changeGroup } from '../../../shared/error-groups.ts';
import { InputError, NotFoundError } from '../../../shared/errors.ts';
import { GroupChangeSchema } from '../../../shared/group-change.ts';
import { check } from '../../../shared/validate.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { Done } from '../serve-page.ts';
import type { Visit } from '../visit.ts';

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** `POST /groups/:fingerprint {state, mute, owner, note, reason}`: changes what people say about a group. */
export async function changeGroupByForm(
  { db }: ConsoleDeps,
  { params, form, caller, now }: Visit,
): Promise<Done> {
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
  const notice = state ? `This error is ${state.toLowerCase()} now.` : 'Saved.';
  return { to: `groups/${encodeURIComponent(fingerprint)}`, notice };
}

/** `7d`: until then; `100`: for so many more failures; `100/h`: until there are more of them in an hour. */
function readMute(text: string, now: Date): object {
  const [, time = '', unit = ''] = /^(\d+)([hd])$/.exec(text) ?? [];
  if (unit) return { mutedUntil: new Date(now.getTime() + Number(time) * (unitMs[unit] ?? 0)).toISOString() };
  const [, count, perHour] = /^(\d+)(\/h)?$/.exec(text) ?? [];
  if (count === undefined) return {};
  return perHour ? { mutedUntilHourly: Number(count) } : { mutedForFailures: Number(count) };
}
