import { ConfigError, type Problem } from '../shared/errors.ts';
import { anOutput, inspectSettings, plainRemedy, settingIn } from './check-settings.ts';
import { listTopics } from './grants.ts';
import { isKnown } from './setting-schemas.ts';
import type { Settings } from './settings.ts';
import { isWatchable } from './warnings.ts';

/** The settings that decide which resources exist, and that may contain outputs. */
const decisive = {
  existingInstance: isWatchable,
  routes: (settings: Settings) => listTopics(settings).length,
};

/** Returns what is wrong with settings that were planned with outputs, once these are known; or nothing. */
export function explainKnown(planned: Settings, known: object): string {
  const { settings, problems } = inspectSettings(known);
  const unplanned = Object.entries(decisive).flatMap(([field, decide]): Problem[] =>
    decide(planned) === decide(settings) ? [] : [{ field, value: anOutput, remedy: plainRemedy }],
  );
  const given: Readonly<Record<string, unknown>> = planned;
  const hidden = problems.map((each) =>
    isKnown(given[settingIn(each)]) ? each : { ...each, value: anOutput },
  );
  const all = [...hidden, ...unplanned];
  return all.length > 0 ? new ConfigError(all).message : '';
}
